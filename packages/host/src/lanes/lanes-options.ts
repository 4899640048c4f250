import type { Clock } from "@tenon/base";
import type { ClientSession } from "@tenon/mcp";

import type { LaneSetup } from "./lane-setup.ts";
import type { Lane } from "./lane.ts";
import type { LaneLimits } from "./limits.ts";

/** Options of `Lanes`. */
export interface LanesOptions {
  /** The name of the server, if there are several: see `CallRelay.serverOf`. */
  readonly name?: string | undefined;
  /**
   * Opens a connection to the server. Its client must be made with the options, and prepared before
   * it connects.
   */
  readonly connect: (setup: LaneSetup) => Promise<ClientSession>;
  /**
   * Whether the connections tell for which request a legacy server requests input, as Streamable
   * HTTP and connections in memory do. Then the calls of a caller share one connection; otherwise
   * each has one of its own while it runs. Default: `false`.
   */
  readonly related?: boolean | undefined;
  /**
   * The sharing of connections to a legacy server. With `caller`, the calls of a caller share them,
   * one after the other. With `call`, each modern call without a principal has its own connection.
   * With `everybody`, there is one connection, and calls wait for each other unless `related`.
   * Default: `caller`.
   */
  readonly isolation?: "call" | "caller" | "everybody" | undefined;
  /**
   * Whether the lanes leave the sessions of `connect` open when they close. Default: `false`.
   */
  readonly borrowed?: boolean | undefined;
  /**
   * Whether `connect` works only once, as with a `Transport`. Then the connection is not replaced
   * if its server may still request input for a cancelled call, and the input requests of other
   * callers are refused until the server responds to that call. Default: `false`.
   */
  readonly connectsOnce?: boolean | undefined;
  /** Numbers and times that are not exceeded. Each limit has its own default. */
  readonly limits?: LaneLimits | undefined;
  /**
   * Called when a server has changed a list.
   *
   * @param lane - The connection whose view has changed.
   */
  readonly onListChanged?: ((lane: Lane, list: "tools" | "prompts" | "resources") => void) | undefined;
  /**
   * Called when a request or an attempt to connect has failed as if the server were down. Other
   * requests may succeed: see `Lanes.recover`.
   */
  readonly onUnreachable?: ((error: unknown) => void) | undefined;
  /** Called when a connection has ended. */
  readonly onEnd?: ((lane: Lane) => void) | undefined;
  /**
   * Called with each call that was ended because others waited (`giveWayMs`). Called once if the
   * server sends log messages that name no call on a connection of several clients: these messages
   * are dropped. Also called with what another hook throws, which is printed by default.
   */
  readonly onError?: ((error: Error) => void) | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}
