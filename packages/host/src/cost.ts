import type { Tool } from "@tenon/protocol";

/** The size of the definition of one tool, as a model reads it. */
export interface ToolCost {
  /** The qualified name of the tool. */
  readonly name: string;
  /** The length of name, description and input schema as JSON, in bytes of UTF-8. */
  readonly bytes: number;
  /** The estimated number of tokens. */
  readonly tokens: number;
}

/** The size of the definitions of all tools. */
export interface ToolCosts {
  /** All bytes together. */
  readonly bytes: number;
  /** All estimated tokens together. */
  readonly tokens: number;
  /** The tools, most expensive first. */
  readonly tools: readonly ToolCost[];
}

/**
 * The average number of bytes in a token, for JSON Schema with English descriptions. Vendors count
 * differently, by up to a third.
 */
const bytesPerToken = 3.7;

const encoder = /* @__PURE__ */ new TextEncoder();

/** The size of the definition of a tool. @param name - As the model sees it. */
function costOfTool(name: string, { description, inputSchema }: Tool): ToolCost {
  const { length: bytes } = encoder.encode(JSON.stringify({ name, description, inputSchema }));
  return { name, bytes, tokens: Math.ceil(bytes / bytesPerToken) };
}

/**
 * Measures what the definitions of tools cost in the context of a model:
 * `costOf(await manager.tools())`.
 */
export function costOf(tools: readonly { readonly name: string; readonly tool: Tool }[]): ToolCosts {
  const costs = tools.map(({ name, tool }) => costOfTool(name, tool));
  return {
    bytes: costs.reduce((sum, { bytes }) => sum + bytes, 0),
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    tools: costs.toSorted((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1)),
  };
}
