import type { Implementation, Revision } from "@tenon/protocol";

/**
 * How it stands with a server. `disabled`: never connected to. `idle`: not yet. `connecting`. `ready`. `degraded`: connected, but its breaker is open.
 * `reconnecting`: lost, and coming back. `needs_auth`: it does not know who asks. `failed`: given up, until somebody connects to it. `closed`.
 */
export type ServerState =
  | "disabled"
  | "idle"
  | "connecting"
  | "ready"
  | "degraded"
  | "reconnecting"
  | "needs_auth"
  | "failed"
  | "closed";

/** One server at one moment. */
export interface ServerSnapshot {
  readonly name: string;
  readonly state: ServerState;
  /** Why it is in this state, if something went wrong. */
  readonly error?: string | undefined;
  /** Of the connection, while there is one. */
  readonly revision?: Revision | undefined;
  /** Unverified, for display. */
  readonly serverInfo?: Implementation | undefined;
}

/** All servers at one moment, by name. The same object until something changes. */
export type Snapshot = ReadonlyMap<string, ServerSnapshot>;
