import type { CallToolResult } from "@tenon/protocol";

import type { NamedTool } from "../manager/options.ts";
import type { ToolIndex } from "./tool-index.ts";

/** The names of the tools that search. */
export type SearchToolName = "search_tools" | "describe_tool" | "call_tool";

/** A tool that takes the place of many. */
export interface SearchTool extends NamedTool {
  readonly name: SearchToolName;
}

const text = { type: "string" } as const;

/** The definitions of the tools that search, describe and call. */
export const searchTools: readonly SearchTool[] = [
  named("search_tools", {
    description:
      "Finds tools for a task. Returns their names and descriptions. Search before you say that a task is impossible.",
    inputSchema: {
      type: "object",
      properties: {
        query: { ...text, description: "A few words about the task" },
        limit: { type: "integer", minimum: 1, maximum: 20, description: "How many tools. Default: 5" },
      },
      required: ["query"],
    },
    annotations: { readOnlyHint: true },
  }),
  named("describe_tool", {
    description: "Returns the description and the input schema of a tool that search_tools has found.",
    inputSchema: { type: "object", properties: { name: text }, required: ["name"] },
    annotations: { readOnlyHint: true },
  }),
  named("call_tool", {
    description:
      "Calls a tool that search_tools has found. The arguments must match the input schema that describe_tool returns.",
    inputSchema: {
      type: "object",
      properties: { name: text, arguments: { type: "object" } },
      required: ["name"],
    },
  }),
];

function named(name: SearchToolName, tool: Omit<NamedTool["tool"], "name">): SearchTool {
  return { server: "", name, tool: { name, ...tool } };
}

/** Whether a name is the name of a tool that searches. */
export function isSearchTool(name: string): name is SearchToolName {
  return searchTools.some((tool) => tool.name === name);
}

/** Maximum length of a description in the results of a search, in characters. */
const maxDescription = 300;
const maxResults = 20;

/**
 * The result of `search_tools` or `describe_tool`.
 */
export function answerSearch(
  name: Exclude<SearchToolName, "call_tool">,
  args: Readonly<Record<string, unknown>>,
  index: ToolIndex,
): CallToolResult {
  if (name === "describe_tool") {
    const wanted = String(args["name"]);
    const tool = index.get(wanted);
    if (tool === undefined) {
      return failed(`No tool is named ${JSON.stringify(wanted.slice(0, 100))}. search_tools returns names.`);
    }
    const { description, inputSchema, outputSchema, annotations } = tool;
    return shown({ name: wanted, description, inputSchema, outputSchema, annotations });
  }
  const { query, limit } = args;
  if (typeof query !== "string" || query.trim() === "") {
    return failed('search_tools needs a "query" of a few words.');
  }
  const count = typeof limit === "number" && limit >= 1 ? Math.min(Math.floor(limit), maxResults) : 5;
  const found = index.search(query, count).map(({ name: of, tool: { description } }) => ({
    name: of,
    description: description?.slice(0, maxDescription),
  }));
  return shown({ tools: found });
}

function shown(value: object): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}

/** A failure that the model reads. */
export function failed(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}
