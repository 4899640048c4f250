import { ErrorCode, isLocalError, RpcError } from "@tenon/jsonrpc2/core";
import { MetaKey, type LoggingLevel, type LoggingMessageNotificationParams } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import { stateKey } from "../../../base/state.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { InnerServerSession } from "../../../request/server/session.ts";
import { isLoggingLevel, LogLevel } from "../level.ts";
import type { LoggingSetup } from "../server.ts";

/** The level that one session has set, and the time of its last message. */
const logState = stateKey((): { level: LoggingLevel | undefined; lastMs: number } => ({
  level: undefined,
  lastMs: -Infinity,
}));

type StateHolder = Pick<InnerServerSession, "state">;

/**
 * Handles `logging/setLevel`: sets the level of a session. Without a session it has no effect,
 * because no later request would have the level; a client may send it because the capability is
 * declared.
 *
 * @throws `RpcError` -32602 for a level that does not exist.
 */
export function setLevel(
  { level }: InnerServerRequest["params"],
  { state, session }: InnerServerRequest,
): object {
  if (!isLoggingLevel(level)) {
    const message = `The level must be one of ${Object.keys(LogLevel).join(", ")}`;
    throw new RpcError(ErrorCode.InvalidParams, message);
  }
  if (session !== undefined) {
    state.get(logState).level = level;
  }
  return {};
}

/** Sends the log messages of one server to its clients. @source R-560…R-564 */
export class LogWriter {
  readonly #setup: LoggingSetup;
  #complained = false;

  constructor(setup: LoggingSetup) {
    this.#setup = setup;
  }

  /**
   * Sends a message on behalf of a request: at the level that the request asks for (modern), or
   * that its session does (legacy).
   */
  async logFor(
    request: InnerServerRequest,
    level: LoggingLevel,
    data: unknown,
    logger?: string,
  ): Promise<void> {
    const { rules } = request;
    const wanted = rules.era === "modern" ? request.meta[MetaKey.logLevel] : this.#levelOf(request);
    if (!request.signal.aborted && this.#admits(request, level, wanted)) {
      await this.#send(() => request.notify("notifications/message", this.#message(level, data, logger)));
    }
  }

  /**
   * Sends a message on a legacy session. Modern clients get no messages outside of a request.
   *
   * @source R-562
   */
  async logOn(
    session: InnerServerSession,
    level: LoggingLevel,
    data: unknown,
    logger?: string,
  ): Promise<void> {
    if (session.initialized && this.#admits(session, level, this.#levelOf(session))) {
      await this.#send(() => session.notify("notifications/message", this.#message(level, data, logger)));
    }
  }

  /** Sends a message as best effort: a failure does not affect the handler. */
  async #send(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      // A disconnected client is not an error, because no receiver is left.
      if (!isLocalError(error, "CONNECTION_CLOSED")) {
        this.#setup.onError(error);
      }
    }
  }

  #levelOf(holder: StateHolder): LoggingLevel {
    return holder.state.peek(logState)?.level ?? this.#setup.options?.level ?? "info";
  }

  #admits(holder: StateHolder, level: LoggingLevel, wanted: unknown): boolean {
    if (!isLoggingLevel(level)) {
      throw new TypeError(
        `level must be one of ${Object.keys(LogLevel).join(", ")}; got ${JSON.stringify(level)}.`,
      );
    }
    if (this.#setup.options === undefined) {
      this.#complain();
      return false;
    }
    if (!isLoggingLevel(wanted) || LogLevel[level] < LogLevel[wanted]) {
      return false;
    }
    if (this.#setup.intervalMs > 0) {
      const state = holder.state.get(logState);
      const now = this.#setup.clock.now();
      if (now - state.lastMs < this.#setup.intervalMs) {
        return false;
      }
      state.lastMs = now;
    }
    return true;
  }

  #message(
    level: LoggingLevel,
    data: unknown,
    logger = this.#setup.options?.name,
  ): LoggingMessageNotificationParams {
    return logger === undefined ? { level, data } : { level, logger, data };
  }

  /**
   * Reports once that the server logs without having declared the capability, because the messages
   * are never sent.
   */
  #complain(): void {
    if (!this.#complained) {
      this.#complained = true;
      const message =
        "Something was logged to a client, but the server does not declare logging: set the option `logging`.";
      this.#setup.onError(new McpError("CAPABILITY_MISSING", message));
    }
  }
}
