import type { Clock } from "@tenon/base";
import type { Transport } from "@tenon/jsonrpc2";
import type { Client, StructuredLogger } from "@tenon/mcp";
import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

import type { ResourceCacheLimits } from "../cache/resource-cache.ts";
import type { HostError } from "../error.ts";
import type { ManagerLimits } from "../limits.ts";
import type { Pins } from "../policy/pins.ts";
import type { Policy } from "../policy/policy.ts";
import type { BreakerOptions } from "../server/breaker.ts";
import type { ReconnectOptions } from "../server/crash-budget.ts";
import type { ServerSpec } from "../spec.ts";
import type { HostHandlers } from "./handlers.ts";

/** Notifies a manager of events in a transport. */
export interface TransportEvents {
  /**
   * The session expired on the server, and the transport has opened another: cached data of the
   * server may be stale.
   */
  readonly onSessionRestored: () => void;
}

/** Makes the transport for one connection to a server. */
export type TransportFactory = (
  server: string,
  spec: Exclude<ServerSpec, { type: "custom" }>,
  events: TransportEvents,
) => Transport;

/** Options of `Manager`. */
export interface ManagerOptions {
  /** The servers, by name. Names are yours: they become part of the names of tools. */
  readonly servers?: Readonly<Record<string, ServerSpec>> | undefined;
  /**
   * The identity of the client that servers see. Default:
   * `{ name: "tenon-host", version: "0.0.0" }`.
   */
  readonly info?: Implementation | undefined;
  /**
   * Makes transports from specs; `nodeTransports()` of `@tenon/host/node` is one. Default: only
   * `custom` servers can be connected to.
   */
  readonly transports?: TransportFactory | undefined;
  /** Limits on handshakes, lists, servers and watches. Each limit has its own default. */
  readonly limits?: ManagerLimits | undefined;
  /** The permissions of all servers without their own policy. Default: see {@link Policy}. */
  readonly policy?: Policy | undefined;
  /**
   * Limits for reconnecting a disconnected server. Default: up to five attempts, with growing
   * delays.
   */
  readonly reconnect?: ReconnectOptions | undefined;
  /** When a server that keeps failing is left alone for a while. */
  readonly breaker?: BreakerOptions | undefined;
  /**
   * Options of the cache for results of `readResource`; `false` disables the cache. Default: see
   * {@link ResourceCacheLimits}.
   */
  readonly cache?: ResourceCacheLimits | false | undefined;
  /**
   * Returns the principal that this manager works for: private results are cached separately for
   * each principal. Called for every read; a read fails with `INVALID_OPTION` if it does not return
   * a string. Default: the account and the grant of the server's `auth`, if the `auth` provides
   * them; otherwise the same principal for all reads.
   */
  readonly principal?: (() => string) | undefined;
  /**
   * Called with the client of each server before it connects, to add middleware to it. If it
   * throws, the server is not added.
   */
  readonly onClient?: ((client: Client, server: string) => void) | undefined;
  /** Handlers for input requests of servers. By default servers may not request input. */
  readonly handlers?: HostHandlers | undefined;
  /**
   * Hashes of tool definitions, from `manager.pins` of an earlier manager. By default tools are
   * pinned when they are first seen.
   */
  readonly pins?: Pins | undefined;
  /**
   * Called once for each server that is given up, later than everything that led to it.
   *
   * @source S-264
   */
  readonly onServerRemoved?: ((server: string, reason: string) => void) | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
  /**
   * Returns a random number from 0 to 1 for delays. Tests pass a fixed number. Default:
   * `Math.random`.
   */
  readonly random?: (() => number) | undefined;
  /**
   * Called with errors that are not returned to a caller, as the field `err`. Default: `console`;
   * `{ warn() {} }` silences it.
   */
  readonly logger?: Pick<StructuredLogger, "warn"> | undefined;
}

/** Something of a server. */
interface Owned {
  /** The configured name of the server. */
  readonly server: string;
}

/** A tool under its qualified name. @source S-254 */
export interface NamedTool extends Owned {
  /** `mcp__<server>__<tool>`, or a shortened form with a hash. */
  readonly name: string;
  readonly tool: Tool;
}

/** A prompt and its server. @source S-258 */
export interface NamedPrompt extends Owned {
  readonly prompt: Prompt;
}

/** A resource and its server. */
export interface NamedResource extends Owned {
  readonly resource: Resource;
}

/** A resource template and its server. */
export interface NamedResourceTemplate extends Owned {
  readonly resourceTemplate: ResourceTemplate;
}

/** The result of `connectAll`. All names are in order. @source S-248 */
export interface ConnectReport {
  readonly ready: readonly string[];
  /**
   * The error of each failed server: `CONNECT_FAILED` with the failure of the attempt as `cause`,
   * or `SERVER_GONE` if the server was closed during the attempt.
   */
  readonly failed: ReadonlyMap<string, HostError>;
  /** Lazy servers, and servers that were not connected when `waitMs` had elapsed. */
  readonly pending: readonly string[];
}
