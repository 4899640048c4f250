import type { ElicitRequestURLParams } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import type { UrlParams } from "../../../request/elicit.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";

/**
 * The input request for a web page in the form of a protocol version.
 *
 * @throws `McpError` `INVALID_DEFINITION` for a URL that is not absolute.
 * @source
 */
export function urlParamsFor(
  { message, url, elicitationId }: UrlParams,
  rules: RevisionRules,
): ElicitRequestURLParams {
  if (!URL.canParse(url)) {
    throw new McpError("INVALID_DEFINITION", "The url of an elicitation must be an absolute URL.");
  }
  const id = rules.elicitationIds ? { elicitationId: elicitationId ?? crypto.randomUUID() } : {};
  return { mode: "url", message, url, ...id };
}
