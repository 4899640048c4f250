import type { RequestId } from "../message.ts";
import type { RequestScope } from "./scope.ts";

/** Events that the parts of a peer report to it. */
export interface PeerEvents {
  /** There is room again, or a call is pending: reading may continue. */
  onRoom(): void;
  /** A pending call is settled. */
  onSettled(): void;
  /** A pending call was cancelled, or timed out. */
  onAbandoned(id: RequestId, reason: unknown): void;
  /** The response to a request has been accepted, or never will be. */
  onAnswered(scope: RequestScope): void;
  /** A message could not be sent. */
  onWriteError(error: unknown): void;
  /** Called with errors that are not returned to a caller. */
  onError(error: unknown): void;
}
