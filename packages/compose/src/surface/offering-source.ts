import { isThenable, kindOf, takeLateFailure } from "@tenon/base";
import type { ListItems, ListKind } from "@tenon/host";
import { unknownTool, type ServerRequest } from "@tenon/mcp/server";
import type { Tool } from "@tenon/protocol";

import type { ProxySource } from "../source/source.ts";

/**
 * Whether a tool is offered.
 *
 * @throws `TypeError` for another value than true and false, such as a promise, which would offer
 *   every tool.
 */
export function isOffered(tool: Tool, offers: (tool: Tool) => boolean): boolean {
  const answer: unknown = offers(tool);
  if (typeof answer !== "boolean") {
    takeLateFailure(answer, () => {});
    const got = isThenable(answer) ? "a promise" : kindOf(answer);
    throw new TypeError(`offers must return true or false for the tool ${tool.name}; got ${got}.`);
  }
  return answer;
}

/** A source without the tools that are not offered: they are neither listed nor called. */
export function offeringSource(source: ProxySource, offers: (tool: Tool) => boolean): ProxySource {
  const kept = new WeakMap<readonly Tool[], readonly Tool[]>();

  async function offered(request: ServerRequest): Promise<readonly Tool[]> {
    const all = await source.list("tools", request);
    const tools = all.filter((tool) => isOffered(tool, offers));
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
