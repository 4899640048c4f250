import { RpcError } from "@tenon/jsonrpc2/core";
import { McpErrorCode } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import type { UrlParams } from "../../../request/elicit.ts";
import type { RequestContext } from "../../../request/server/context.ts";
import { inputRequired, type InputRequired } from "../../../request/server/input-required.ts";
import { rulesOf } from "../../../revisions/index.ts";
import { requireCapability } from "../../interaction/server/require.ts";
import { urlParamsFor } from "./url.ts";

const method = "elicitation/create";

/**
 * Declares that a request cannot continue before the user has visited one or several web pages:
 * `return urlElicitationRequired(ctx, [{ mode: "url", message, url }])`.
 *
 * - 2025-11-25: the request gets the error `-32042` with the pages. The client sends it again after
 *   the visits. Notify it of finished pages by
 *   `session.notify("notifications/elicitation/complete", { elicitationId })`.
 * - 2026-07-28: the pages become input requests. The client opens them and responds at once with
 *   the user's decisions, by the keys `url-1`, `url-2` … in `ctx.inputResponses`. Consent to a page
 *   does not mean that the user has finished.
 *
 * @param elicitations - At least one page. A missing `elicitationId` is generated if the protocol
 *   version requires it.
 * @returns The value that the handler must return.
 * @throws `RpcError` `-32042` in 2025-11-25. `McpError` `CAPABILITY_MISSING` if the client has not
 *   declared URL mode elicitation; `NOT_IN_REVISION` before 2025-11-25; `INVALID_DEFINITION`
 *   without a page, or for a URL that is not absolute.
 * @source
 */
export function urlElicitationRequired(
  { revision, client }: Pick<RequestContext, "revision" | "client">,
  elicitations: readonly UrlParams[],
): InputRequired {
  if (elicitations.length === 0) {
    throw new McpError("INVALID_DEFINITION", "urlElicitationRequired needs at least one page; got none.");
  }
  const rules = rulesOf(revision);
  requireCapability(client.capabilities, { method, params: { mode: "url" }, rules });
  const pages = elicitations.map((page) => urlParamsFor(page, rules));
  if (rules.urlElicitationError) {
    const message = "The user must visit a web page before this request can continue";
    throw new RpcError(McpErrorCode.UrlElicitationRequired, message, { data: { elicitations: pages } });
  }
  return inputRequired({
    inputRequests: Object.fromEntries(
      pages.map((params, index) => [`url-${index + 1}`, { method, params }] as const),
    ),
  });
}
