import type { Authorize } from "@tenon/http/server";
import type { Incoming, Request } from "@tenon/jsonrpc2";
import type { AuthInfo } from "@tenon/protocol";

import type { Call } from "./call.ts";
import type { ServerLike } from "./server-like.ts";
import type { SessionSettings } from "./session-settings.ts";

/**
 * Keeps the legacy sessions of an endpoint. An endpoint without sessions does not contain this
 * code.
 */
export interface SessionKeeper {
  /** Begins a session with the `initialize` of a client. */
  open(request: Request, call: Call, server: ServerLike): Promise<void>;
  /** Handles a POST that names a session. */
  post(incoming: Incoming, call: Call, sessionId: string): Promise<void> | undefined;
  /** Handles a GET or a DELETE that names a session. */
  serve(call: Call, sessionId: string): Promise<void>;
  /**
   * Ends the sessions of a principal, and makes other processes with the same stores revoke it,
   * too.
   */
  revoke(principal: string): Promise<void>;
  /** Called with the sender of every request: from then on other processes may revoke it. */
  attend?(principal: string | undefined): void;
  /** Ends all sessions. */
  close(drainMs: number | undefined): Promise<void>;
}

/** Makes the keeper of an endpoint. */
export type StartSessions = (settings: KeeperSetup) => SessionKeeper;

/** The parts of the keeper of an endpoint. */
export interface KeeperSetup extends Omit<SessionSettings, "eventStore" | "retryMs" | "held" | "streamId"> {
  readonly authorize: Authorize<AuthInfo> | undefined;
  /** Called when another process has revoked a principal, whose sessions it ends itself. */
  readonly revoked: (principal: string) => void;
  /** The principals that have requests without a session in flight. */
  readonly principals: () => readonly string[];
}
