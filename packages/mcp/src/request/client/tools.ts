import type { CallToolRequestParams } from "@tenon/protocol";

import type { DefinedTool, ToolCallArguments, ToolOutput } from "../tool.ts";
import type { RequestOptions } from "./options.ts";

/**
 * The params of `callTool`: the params of `tools/call`, whose optional properties may also be
 * `undefined`.
 */
export type CallToolParams = {
  readonly [K in keyof CallToolRequestParams]: object extends Pick<CallToolRequestParams, K>
    ? CallToolRequestParams[K] | undefined
    : CallToolRequestParams[K];
};

/** The names of tools. */
export type ToolNames<T extends readonly DefinedTool[]> = T[number]["name"];

/** The tool of a name. */
export type ToolNamed<T extends readonly DefinedTool[], N> = Extract<T[number], { readonly name: N }>;

/**
 * A value after it went over the wire as JSON: what `toJSON` gives, bytes and big integers as
 * strings, no methods.
 */
export type JSONForm<T> = unknown extends T
  ? unknown
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends bigint | Uint8Array
      ? string
      : T extends { toJSON(): infer J }
        ? J
        : { [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: JSONForm<T[K]> };

/** The tools of a server whose definitions are at hand, by name. */
export interface TypedTools<T extends readonly DefinedTool[]> {
  /** Calls a tool; as `ClientSession.callTool` with a tool, whose errors it has too. */
  callTool<N extends ToolNames<T>>(
    name: N,
    args: ToolCallArguments<ToolNamed<T, N>["input"]>,
    options?: RequestOptions,
  ): Promise<ToolOutput<ToolNamed<T, N>["output"]>>;
}

/** The tools of a server of which only the types are known. */
export interface TypedToolNames<T extends readonly DefinedTool[]> {
  /**
   * Calls a tool. Neither side of the call is checked here, and nothing is revived: classes come as
   * plain objects.
   */
  callTool<N extends ToolNames<T>>(
    name: N,
    args: JSONForm<ToolCallArguments<ToolNamed<T, N>["input"]>>,
    options?: RequestOptions,
  ): Promise<JSONForm<ToolOutput<ToolNamed<T, N>["output"]>>>;
}
