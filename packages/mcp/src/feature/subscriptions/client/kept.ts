import { lazy, type Lazy } from "../../../base/lazy.ts";
import type { Change } from "../../../request/client/subscription.ts";
import type * as keepModule from "./keep.lazy.ts";

/** Opens the subscriptions of a client to a modern server. */
export const listening: Lazy<typeof keepModule> = lazy(() => import("./keep.lazy.ts"));

/** The events of `keepListening`. */
export interface KeptListener {
  onChange(change: Change): void;
  /** It was interrupted and runs again: changes may have been missed. @source R-540 */
  onResumed(): void;
  /** The first attempt to open it again has failed: the server may have ended. */
  onInterrupted?(): void;
  /** It could not be opened again. */
  onLost(error: unknown): void;
}
