import type { LimitRules } from "@tenon/base";
import type { CallRelay, LaneLimits } from "@tenon/host";
import type { StateKeys } from "@tenon/mcp/server";
import type { Tool } from "@tenon/protocol";

import type { MaySeeTool } from "./surface/may-see.ts";
import type { Transform } from "./transform/changes.ts";

/** Limits of a composition. */
export interface ComposeLimits {
  /**
   * How long a list of a source is waited for, in milliseconds. Then what is known of it is listed,
   * and clients are notified when the list arrives. Default: `5_000`.
   */
  readonly listTimeoutMs?: number | undefined;
  /** Minimum time between two notifications about one list, in milliseconds. Default: `250`. */
  readonly changeIntervalMs?: number | undefined;
  /** Maximum number of requests of one caller that run at one source at a time. Default: `64`. */
  readonly maxInFlight?: number | undefined;
  /**
   * Maximum number of requests of one caller that wait for one source. Further ones are refused
   * with `-32603`. Default: `256`.
   */
  readonly maxWaiting?: number | undefined;
  /** Maximum number of items of one page of a list. Default: `1_000`. */
  readonly pageSize?: number | undefined;
}

/** The rules of {@link ComposeLimits}. */
export const composeLimits: LimitRules<ComposeLimits> = {
  listTimeoutMs: [5000, 1],
  changeIntervalMs: [250, 0],
  maxInFlight: [64, 1],
  maxWaiting: [256, 0],
  pageSize: [1000, 1],
};

/** Options of `compose`. */
export interface ComposeOptions {
  /** The name of the composition, as clients see it. Default: `tenon-compose`. */
  readonly name?: string | undefined;
  /** Its version. Default: `1.0.0`. */
  readonly version?: string | undefined;
  /** Advice for the model on using the servers together. By default there is none. */
  readonly instructions?: string | undefined;
  /** Changes to tools, in their order. By default there are none. */
  readonly transforms?: readonly Transform[] | undefined;
  /**
   * The names of tools and prompts. `qualified` is `mcp__<source>__<tool>`, shortened by a hash
   * where models would not accept it. `own` keeps the names of the sources while they differ.
   * Default: `qualified`.
   */
  readonly names?: "qualified" | "own" | undefined;
  /**
   * The items of a source that is down: `hide` removes them until the source is back, `keep` keeps
   * the last list, and calls fail. Default: `hide`.
   */
  readonly whenDown?: "hide" | "keep" | undefined;
  /**
   * Whether a tool is offered at all, as clients see it. Other tools are not listed, found by
   * `search` or called. The tools of `search` are always offered. If it throws, or returns another
   * value than `true` and `false`, lists and calls of tools fail, and `onError` is called. For the
   * tools of `asTools`, `compose` itself throws the error. By default all tools are offered.
   * For what single users may see, add `visibleTools` of `@tenon/operations` to the server.
   */
  readonly offers?: ((tool: Tool) => boolean) | undefined;
  /**
   * Whether the sender of a request may see and use a tool, by the name and the definition that
   * clients see: a predicate of `visibleTools` of `@tenon/operations` fits. Only `true` shows a
   * tool. It also holds for the tools of `search` and `asTools`, and for tools that `search` finds,
   * which middleware cannot see. By default all tools are visible.
   */
  readonly maySee?: MaySeeTool | undefined;
  /**
   * Offers `search_tools`, `describe_tool` and `call_tool` in place of the tools, so that many
   * tools fit into the context of a model. Default: `false`.
   */
  readonly search?: boolean | undefined;
  /**
   * Offers prompts, resources or both also as tools, for hosts that know only tools: `list_prompts`
   * and `get_prompt`, `list_resources` and `read_resource`. By default neither.
   */
  readonly asTools?: readonly ("prompts" | "resources")[] | undefined;
  /**
   * The secrets for the state of calls that wait for input, and for the ids of tasks: see
   * `InteractionOptions`. Every process of one composition needs the same secrets. By default they
   * are random.
   */
  readonly stateKeys?: StateKeys | undefined;
  /**
   * The relay for calls. Sources of your own must use the same relay. By default the composition
   * creates a relay.
   */
  readonly relay?: CallRelay | undefined;
  /** Limits of the connections that the composition opens. Each limit has its own default. */
  readonly connections?: LaneLimits | undefined;
  /** Numbers and times that are not exceeded. Each limit has its own default. */
  readonly limits?: ComposeLimits | undefined;
  /** Called with errors that no client gets. Default: `console.error`. */
  readonly onError?: ((error: unknown, source: string) => void) | undefined;
}
