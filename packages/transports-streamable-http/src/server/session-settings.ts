import type { EventStreamOptions } from "@tenon/http/server";
import type { RequestId } from "@tenon/jsonrpc2";
import type { EventStore } from "@tenon/stores";

import type { Heartbeat } from "./heartbeat.ts";
import type { HeldTotal } from "./held.ts";

/** Settings that the sessions of one handler share. */
export interface SessionSettings {
  readonly heartbeat: Heartbeat;
  readonly streams: EventStreamOptions;
  readonly eventStore: EventStore | undefined;
  readonly retryMs: number;
  readonly held: HeldTotal;
  readonly onError: (error: unknown) => void;
  /**
   * Returns the ID of the stream of a POST: unique among all processes. Default: its number in the
   * session.
   */
  readonly streamId?: ((number: string, ids: readonly RequestId[]) => string) | undefined;
}

/** The owner of a session. */
export interface SessionOwner {
  /** Called once, when the session has ended. */
  ended(): void;
  /**
   * Called when a response was sent or a stream has ended, because the session may be idle then.
   */
  rested?(): void;
}
