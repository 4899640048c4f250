import type * as searchModule from "@tenon/host/search";
import type { ServerRequest } from "@tenon/mcp/server";
import type { Tool } from "@tenon/protocol";

import type { ProxySource } from "../source/source.ts";
import { forwardVisible, withExtraTools, type ExtraTool } from "./extra-tools.ts";
import { visible, type MaySeeTool } from "./may-see.ts";

/** A source whose tools are found by a search. The index is loaded with the first request. */
export function searchingSource(
  source: ProxySource,
  others: readonly ExtraTool[],
  maySee: MaySeeTool | undefined,
): ProxySource {
  let opened: ProxySource | undefined;
  let opening: Promise<ProxySource> | undefined;
  const open = (): Promise<ProxySource> =>
    (opening ??= import("@tenon/host/search").then((module) => {
      const extras = [...searchingTools(source, module, maySee), ...others];
      opened = withExtraTools(source, { extras, hidesOthers: true, maySee });
      return opened;
    }));
  return {
    ...source,
    list: async (kind, request) => (opened ?? (await open())).list(kind, request),
    forward: (request, params, method) =>
      opened === undefined
        ? open().then((loaded) => loaded.forward(request, params, method))
        : opened.forward(request, params, method),
  };
}

/**
 * The tools that search the tools of a source. Tools that a user may not see are neither found, nor
 * described, nor called.
 */
function searchingTools(
  source: ProxySource,
  { searchTools, answerSearch, createToolIndex }: typeof searchModule,
  maySee: MaySeeTool | undefined,
): readonly ExtraTool[] {
  const indexes = new WeakMap<readonly Tool[], searchModule.ToolIndex>();

  async function indexFor(request: ServerRequest): Promise<searchModule.ToolIndex> {
    const listed = await source.list("tools", request);
    let index = indexes.get(listed);
    if (index === undefined) {
      index = createToolIndex(listed.map((tool) => ({ name: tool.name, tool })));
      indexes.set(listed, index);
    }
    if (maySee === undefined) {
      return index;
    }
    // One index serves all users, so what it finds is filtered for each of them.
    const seen = new Set((await visible(listed, request, maySee)).map(({ name }) => name));
    const all = index;
    return {
      size: seen.size,
      search: (question, maxResults = 5) =>
        all
          .search(question, all.size)
          .filter(({ name }) => seen.has(name))
          .slice(0, maxResults),
      get: (name) => (seen.has(name) ? all.get(name) : undefined),
    };
  }

  return searchTools.map(({ name, tool }) => ({
    tool,
    run: async (request, args) =>
      name === "call_tool"
        ? forwardVisible(source, request, { name: args["name"], arguments: args["arguments"] ?? {} }, maySee)
        : answerSearch(name, args, await indexFor(request)),
  }));
}
