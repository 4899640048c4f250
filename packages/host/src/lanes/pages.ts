import { isRecord } from "@tenon/base";
import type { RpcError } from "@tenon/jsonrpc2/core";
import { McpErrorCode } from "@tenon/protocol";

/**
 * The pages that a user must open before a legacy server runs a request, as input requests of a
 * modern server.
 */
export function pagesOf({ code, data }: RpcError): Readonly<Record<string, object>> | undefined {
  const pages =
    code === McpErrorCode.UrlElicitationRequired && isRecord(data) ? data["elicitations"] : undefined;
  if (!Array.isArray(pages) || pages.length === 0 || !pages.every(isRecord)) {
    return undefined;
  }
  return Object.fromEntries(pages.map((page, index) => [`page-${index + 1}`, pageOf(page)]));
}

function pageOf(page: Readonly<Record<string, unknown>>): object {
  const params = Object.entries(page).filter(([name]) => name !== "elicitationId");
  return { method: "elicitation/create", params: { mode: "url", ...Object.fromEntries(params) } };
}
