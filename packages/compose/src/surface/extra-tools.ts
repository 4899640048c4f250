import { isRecord } from "@tenon/base";
import type { ListItems, ListKind } from "@tenon/host";
import { isInputRequired, unknownPrompt, type ServerRequest } from "@tenon/mcp/server";
import type { Tool } from "@tenon/protocol";

import type { ProxySource, ReceivedParams } from "../source/source.ts";
import { ifVisible, visible, type MaySeeTool } from "./may-see.ts";

/** A tool of the composition itself. */
export interface ExtraTool {
  readonly tool: Tool;
  /** Runs the tool. @param args - As they were received. */
  run(request: ServerRequest, args: ReceivedParams): unknown;
}

/** Options of {@link withExtraTools}. */
export interface ExtraToolsOptions {
  readonly extras: readonly ExtraTool[];
  /** Whether the tools of the sources are found by a search only. */
  readonly hidesOthers: boolean;
  readonly maySee: MaySeeTool | undefined;
}

/** Adds tools of the composition to a source, and hides tools from users who may not use them. */
export function withExtraTools(
  source: ProxySource,
  { extras, hidesOthers, maySee }: ExtraToolsOptions,
): ProxySource {
  const byName = new Map(extras.map((extra) => [extra.tool.name, extra]));
  const own = extras.map(({ tool }) => tool);
  const lists = new WeakMap<readonly unknown[], readonly Tool[]>();

  async function tools(request: ServerRequest): Promise<readonly Tool[]> {
    const all = hidesOthers ? own : withOwn(await source.list("tools", request));
    return visible(all, request, maySee);
  }

  function withOwn(listed: readonly Tool[]): readonly Tool[] {
    let all = lists.get(listed);
    if (all === undefined) {
      all = own.length === 0 ? listed : [...own, ...listed.filter(({ name }) => !byName.has(name))];
      lists.set(listed, all);
    }
    return all;
  }

  return {
    ...source,
    async list<K extends ListKind>(kind: K, request: ServerRequest): Promise<readonly ListItems[K][]> {
      return kind === "tools"
        ? ((await tools(request)) as readonly ListItems[K][])
        : source.list(kind, request);
    },
    forward(request, params = request.params, method = request.method) {
      if (method !== "tools/call") {
        return source.forward(request, params, method);
      }
      const name = String(params["name"]);
      const extra = byName.get(name);
      if (extra !== undefined) {
        const args = params["arguments"];
        return ifVisible(
          { name, request, maySee },
          () => Promise.resolve(extra.tool),
          () => extra.run(request, isRecord(args) ? args : {}),
        );
      }
      return maySee === undefined
        ? source.forward(request, params, method)
        : forwardVisible(source, request, params, maySee);
    },
  };
}

/** Calls a tool if the sender may see it. @throws `RpcError` `-32602` as for an unknown tool. */
export function forwardVisible(
  source: ProxySource,
  request: ServerRequest,
  params: ReceivedParams,
  maySee: MaySeeTool | undefined,
): Promise<unknown> {
  const name = String(params["name"]);
  return ifVisible(
    { name, request, maySee },
    async () => (await source.list("tools", request)).find((tool) => tool.name === name),
    () => source.forward(request, params, "tools/call"),
  );
}

const text = { type: "string" } as const;

/** Tools that list and read resources, for hosts that know only tools. */
export function resourceTools(source: ProxySource): readonly ExtraTool[] {
  return [
    {
      tool: {
        name: "list_resources",
        description: "Lists the resources that read_resource can read, and the templates of their URIs.",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
      },
      run: async (request) => {
        const [resources, resourceTemplates] = await Promise.all([
          source.list("resources", request),
          source.list("resourceTemplates", request),
        ]);
        return shown({ resources, resourceTemplates });
      },
    },
    {
      tool: {
        name: "read_resource",
        description: "Reads a resource by its URI.",
        inputSchema: { type: "object", properties: { uri: text }, required: ["uri"] },
        annotations: { readOnlyHint: true },
      },
      run: async (request, { uri }) => {
        const result = await source.forward(request, { uri: String(uri) }, "resources/read");
        const contents: unknown = isRecord(result) && !isInputRequired(result) && result["contents"];
        return Array.isArray(contents)
          ? { content: contents.map((resource: unknown) => ({ type: "resource", resource })) }
          : result;
      },
    },
  ];
}

/** Tools that list and get prompts, for hosts that know only tools. */
export function promptTools(source: ProxySource): readonly ExtraTool[] {
  return [
    {
      tool: {
        name: "list_prompts",
        description: "Lists the prompts that get_prompt returns, with their arguments.",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
      },
      run: async (request) => shown({ prompts: await source.list("prompts", request) }),
    },
    {
      tool: {
        name: "get_prompt",
        description: "Returns the messages of a prompt.",
        inputSchema: {
          type: "object",
          properties: { name: text, arguments: { type: "object", additionalProperties: text } },
          required: ["name"],
        },
        annotations: { readOnlyHint: true },
      },
      run: async (request, { name, arguments: args }) => {
        if (typeof name !== "string") {
          throw unknownPrompt(String(name));
        }
        const params = { name, ...(isRecord(args) ? { arguments: args } : {}) };
        const result = await source.forward(request, params, "prompts/get");
        const isPrompt = isRecord(result) && !isInputRequired(result) && Array.isArray(result["messages"]);
        return isPrompt ? shown({ messages: result["messages"] }) : result;
      },
    },
  ];
}

/** A result that the model reads as JSON. */
export function shown(value: object): object {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}
