import type { Clock } from "@tenon/base";
import type { Authorization } from "@tenon/jsonrpc2";

import type { SessionState } from "../../base/state.ts";
import type { Tolerate } from "../../base/strictness.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import type { ClientSession } from "./session.ts";

/** A session as the features of its client see it. */
export interface InnerClientSession extends ClientSession {
  /** The state that features keep for this session. */
  readonly state: SessionState;
  /** The rules of the negotiated protocol version. */
  readonly rules: RevisionRules;
  readonly clock: Clock;
  /** The credentials of the transport. */
  readonly authorization: Authorization | undefined;
  readonly tolerate: Tolerate;
  readonly onError: (error: unknown) => void;
  /** How long a response may take if the caller does not say, in milliseconds. */
  readonly timeoutMs: number;
  readonly probeTimeoutMs: number;
  readonly maxListedOutputs: number;
  /** Makes cached results stale if a notification invalidates them. */
  forgetStale(notification: string, params: Readonly<Record<string, unknown>>): void;
}
