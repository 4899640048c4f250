import type { ServerRequest } from "@tenon/mcp";
import { MetaKey, metaOf } from "@tenon/protocol";

/** Keys that belong to the connection between a client and the proxy. */
const ofOneHop: ReadonlySet<string> = new Set([
  MetaKey.protocolVersion,
  MetaKey.clientInfo,
  MetaKey.clientCapabilities,
  MetaKey.serverInfo,
  "progressToken",
]);

/**
 * The params of a request as they go to the server. The trace context and unknown keys of `_meta`
 * are kept.
 */
export function forwardedParams(
  request: ServerRequest,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { _meta, requestState: _, inputResponses: __, ...own } = params;
  const kept = Object.entries(metaOf(request.params) ?? {}).filter(([key]) => !ofOneHop.has(key));
  return kept.length === 0 ? own : { ...own, _meta: Object.fromEntries(kept) };
}
