import { isRecord } from "@tenon/base";
import { isRpcError } from "@tenon/jsonrpc2/core";
import { McpErrorCode, type ElicitRequestURLParams } from "@tenon/protocol";

/** A page that a user has to visit: in the revision that asks for it by an error it has an id. */
export interface RequiredPage extends ElicitRequestURLParams {
  /** The server's ID of the elicitation, which it sends when the page is finished. */
  elicitationId: string;
}

/**
 * Returns the web pages in the error `-32042` of 2025-11-25, which the user must visit before the
 * request can continue. Have the user agree to each page, and send the request again after the
 * visits. `elicitation.onComplete` of the client reports finished pages, but also offer a manual
 * retry.
 *
 * @returns `undefined` for any other error, and if the pages are malformed.
 * @source
 */
export function requiredUrlElicitations(error: unknown): readonly RequiredPage[] | undefined {
  if (!isRpcError(error) || error.code !== McpErrorCode.UrlElicitationRequired || !isRecord(error.data)) {
    return undefined;
  }
  const { elicitations } = error.data;
  return Array.isArray(elicitations) && elicitations.length > 0 && elicitations.every(isPage)
    ? elicitations
    : undefined;
}

function isPage(value: unknown): value is RequiredPage {
  return (
    isRecord(value) &&
    value["mode"] === "url" &&
    typeof value["message"] === "string" &&
    typeof value["elicitationId"] === "string" &&
    typeof value["url"] === "string" &&
    URL.canParse(value["url"])
  );
}
