import type { EventStreamOptions } from "@tenon/http/server";
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
}
