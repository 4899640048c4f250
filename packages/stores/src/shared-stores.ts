import type { AuthStore } from "./auth/contract.ts";
import type { EventStore } from "./event/contract.ts";
import type { Leases } from "./lease/contract.ts";
import type { RateLimits } from "./rate/contract.ts";
import type { ReplayStore } from "./replay/contract.ts";
import type { SessionStore } from "./session/contract.ts";

/** The stores that every database has. */
export interface SharedStores extends AsyncDisposable {
  readonly events: EventStore;
  readonly sessions: SessionStore;
  readonly leases: Leases;
  readonly replay: ReplayStore;
  readonly rates: RateLimits;
  /** Tokens of clients, and keys for `shareStateKeys`. */
  readonly auth: AuthStore;
  /** Closes all stores, but not the database. Idempotent. */
  close(): Promise<void>;
}
