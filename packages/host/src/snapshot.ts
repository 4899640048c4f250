import type { Implementation, Revision } from "@tenon/protocol";

/**
 * The state of a server. `disabled`: it is never connected to. `idle`: it is not connected yet.
 * `connecting`. `ready`. `degraded`: it is connected, but its breaker is open. `reconnecting`: the
 * connection was lost and is being restored. `needs_auth`: the server requires credentials.
 * `failed`: the host stopped trying until `connect` is called. `closed`.
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
  /** The extensions that the server and the client of this host both declare. */
  readonly extensions?: readonly string[] | undefined;
}

/** All servers at one moment, by name. The same object until something changes. */
export type Snapshot = ReadonlyMap<string, ServerSnapshot>;
