import { checkOptionNames } from "@tenon/base";
import type { CallToolResult } from "@tenon/protocol";

import { toAnthropicTool } from "../convert/anthropic.ts";
import { toGeminiFunction } from "../convert/gemini.ts";
import { toOpenAiResponsesTool } from "../convert/openai.ts";
import { costOf } from "../cost.ts";
import type { HostCallOptions } from "../manager/call-tool.ts";
import type { NamedTool } from "../manager/options.ts";
import { answerSearch, failed, isSearchTool, searchTools } from "./search-tools.ts";
import { createToolIndex, type ToolIndex } from "./tool-index.ts";

/** The part of a manager that lists and calls tools. */
export interface ToolCallerByName {
  /** The tools that may be called. */
  tools(): Promise<readonly NamedTool[]>;
  /** Calls a tool by its qualified name, under the policy of its server. */
  callToolByName(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: HostCallOptions,
  ): Promise<CallToolResult>;
}

/** A definition in the form of a vendor. */
export type VendorTool = Readonly<Record<string, unknown>>;

/** Options of {@link toolsFor}. */
export interface FitOptions {
  /**
   * The vendor of the model, for its form of definitions. Without one, definitions have the form of
   * the protocol.
   */
  readonly vendor?: "anthropic" | "openai" | "gemini" | undefined;
  /** The number of tokens that all definitions together may have. Default: `8_000`. */
  readonly budget?: number | undefined;
  /**
   * Whether to defer definitions in the form that the vendor has for it, if it has one. With
   * `false` the model gets three tools that search, describe and call. Default: `true`.
   */
  readonly native?: boolean | undefined;
}

/** Tools that fit into the context of a model. */
export interface FittedTools {
  /** The definitions for the request to the model, in the form of its vendor. */
  readonly tools: readonly VendorTool[];
  /**
   * `all`: within the budget; `native`: deferred by the vendor; `search`: three tools that search.
   */
  readonly fit: "all" | "native" | "search";
  /**
   * Calls what the model has called: a tool, or one of the tools that search. A tool that a search
   * found is called under the same policy as any other.
   *
   * @throws As `callToolByName`.
   */
  call(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: HostCallOptions,
  ): Promise<CallToolResult>;
}

const defaultBudget = 8000;

/**
 * Chooses the definitions that a model gets. Within the budget these are all tools. Beyond it they
 * are deferred: Anthropic and OpenAI search deferred definitions themselves; other models get
 * `search_tools`, `describe_tool` and `call_tool`.
 *
 * @example
 * const { tools, call } = await toolsFor(manager, { vendor: "anthropic", budget: 10_000 });
 *
 * @throws `TypeError` for options that make no sense.
 */
export async function toolsFor(manager: ToolCallerByName, options: FitOptions = {}): Promise<FittedTools> {
  checkOptionNames("toolsFor", options, "vendor budget native", {});
  const { vendor, budget = defaultBudget, native = true } = options;
  if (typeof budget !== "number" || !(budget >= 0)) {
    throw new TypeError(`budget must be a number of tokens, 0 or more; got ${String(budget)}.`);
  }
  const all = await manager.tools();
  const convert = (named: NamedTool): VendorTool => ({ ...convertFor(vendor, named) });
  if (costOf(all).tokens <= budget) {
    return { tools: all.map(convert), fit: "all", call: manager.callToolByName.bind(manager) };
  }
  const searching = native ? nativeSearch(vendor) : undefined;
  if (searching !== undefined) {
    const deferred = all.map((named) => ({ ...convert(named), defer_loading: true }));
    return {
      tools: [searching, ...deferred],
      fit: "native",
      call: manager.callToolByName.bind(manager),
    };
  }
  return { tools: searchTools.map(convert), fit: "search", call: calling(manager) };
}

function convertFor(vendor: FitOptions["vendor"], named: NamedTool): object {
  switch (vendor) {
    case "anthropic":
      return toAnthropicTool(named);
    case "openai":
      return toOpenAiResponsesTool(named);
    case "gemini":
      return toGeminiFunction(named);
    default:
      return { ...named.tool, name: named.name };
  }
}

/** The tool by which a vendor searches deferred definitions. */
function nativeSearch(vendor: FitOptions["vendor"]): VendorTool | undefined {
  switch (vendor) {
    case "anthropic":
      return { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" };
    case "openai":
      return { type: "tool_search" };
    default:
      return undefined;
  }
}

function calling(manager: ToolCallerByName): FittedTools["call"] {
  let indexed: { readonly of: readonly NamedTool[]; readonly index: ToolIndex } | undefined;

  /** The index of the tools of this moment: the manager returns the same list until it changes. */
  async function present(): Promise<ToolIndex> {
    const of = await manager.tools();
    if (indexed?.of !== of) {
      indexed = { of, index: createToolIndex(of) };
    }
    return indexed.index;
  }

  return async (name, args = {}, options) => {
    if (!isSearchTool(name)) {
      return manager.callToolByName(name, args, options);
    }
    if (name !== "call_tool") {
      return answerSearch(name, args, await present());
    }
    const { name: wanted, arguments: given = {} } = args;
    if (typeof wanted !== "string" || typeof given !== "object" || given === null || Array.isArray(given)) {
      return failed('call_tool needs a "name", and "arguments" that are an object.');
    }
    return manager.callToolByName(wanted, given as Readonly<Record<string, unknown>>, options);
  };
}
