import { isRecord } from "@tenon/base";
import type { Request } from "@tenon/jsonrpc2";
import { metaOf } from "@tenon/protocol";

import { askPrivately } from "./reopen.ts";
import { modernHeaders } from "./request-headers.ts";
import type { SenderOwner } from "./sender.ts";
import type { ToolBook } from "./tool-book.ts";

/** Maximum number of pages that are read to find one tool. */
const maxPages = 50;

/**
 * Lists the server's tools again, on behalf of a call whose headers it did not like, until the
 * called one is found.
 *
 * @source R-327
 */
export async function refreshTools(
  owner: SenderOwner,
  call: Request,
  version: string,
  tools: ToolBook,
  signal: AbortSignal,
): Promise<void> {
  const { name } = call.params as { name?: unknown };
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), _meta: listMeta(call) };
    const request: Request = { jsonrpc: "2.0", id: 0, method: "tools/list", params };
    const { answer } = await askPrivately(owner, request, modernHeaders(request, version, tools), signal);
    const result = "result" in answer ? tools.note(answer.result, true) : undefined;
    if (!isRecord(result) || !Array.isArray(result["tools"])) {
      return;
    }
    if (result["tools"].some((tool) => isRecord(tool) && tool["name"] === name)) {
      return;
    }
    cursor = result["nextCursor"];
    if (typeof cursor !== "string") {
      return;
    }
  }
}

/** The call's own envelope, without what concerns the call alone. */
function listMeta({ params }: Request): object {
  const { progressToken: _token, ...meta } = metaOf(params) ?? {};
  return meta;
}
