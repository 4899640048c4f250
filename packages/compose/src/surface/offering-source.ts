import type { ListItems, ListKind } from "@tenon/host";
import { unknownTool, type ServerRequest } from "@tenon/mcp/server";
import type { Tool } from "@tenon/protocol";

import type { ProxySource } from "../source/source.ts";

/** A source without the tools that are not offered: they are neither listed nor called. */
export function offeringSource(source: ProxySource, offers: (tool: Tool) => boolean): ProxySource {
  const kept = new WeakMap<readonly Tool[], readonly Tool[]>();

  async function offered(request: ServerRequest): Promise<readonly Tool[]> {
    const all = await source.list("tools", request);
    const tools = all.filter((tool) => offers(tool));
    const before = kept.get(all);
    // The same array if nothing has changed: pages and indexes are made for arrays.
    if (before?.length === tools.length && before.every((tool, index) => tool === tools[index])) {
      return before;
    }
    kept.set(all, tools);
    return tools;
  }

  return {
    ...source,
    async list<K extends ListKind>(kind: K, request: ServerRequest): Promise<readonly ListItems[K][]> {
      return kind === "tools"
        ? ((await offered(request)) as readonly ListItems[K][])
        : source.list(kind, request);
    },
    forward(request, params = request.params, method = request.method) {
      const { name } = params;
      return method === "tools/call"
        ? offered(request).then((tools) => {
            if (!tools.some((tool) => tool.name === name)) {
              throw unknownTool(String(name));
            }
            return source.forward(request, params, method);
          })
        : source.forward(request, params, method);
    },
  };
}
