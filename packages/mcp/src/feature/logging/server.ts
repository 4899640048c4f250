import type { Clock } from "@tenon/base";
import type { LoggingLevel } from "@tenon/protocol";

import { lazy, type Lazy } from "../../base/lazy.ts";
import type { ServerFeature } from "../../request/server/feature.ts";
import type { InnerServerRequest } from "../../request/server/request.ts";
import type { InnerServerSession } from "../../request/server/session.ts";
import type * as writerModule from "./server/writer.lazy.ts";

const writing: Lazy<typeof writerModule> = lazy(() => import("./server/writer.lazy.ts"));

/** Options for logging to clients. */
export interface LoggingOptions {
  /** The `logger` field of messages that name none. @source S-185 */
  readonly name?: string | undefined;
  /**
   * Lowest level of the messages sent to legacy clients before they set a level. Default: `"info"`.
   *
   * @source R-561
   */
  readonly level?: LoggingLevel | undefined;
}

/** The dependencies of logging on its server. */
export interface LoggingSetup {
  /** `undefined`: the server does not log to its clients. */
  readonly options: LoggingOptions | undefined;
  /** Minimum time between two messages. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/**
 * The server's side of logging: `logging/setLevel`, and messages to clients.
 *
 * @source R-560…R-564
 */
export class LoggingFeature implements ServerFeature {
  readonly capabilities: NonNullable<ServerFeature["capabilities"]> = {
    logging: () => (this.#setup.options === undefined ? undefined : {}),
  };
  readonly methods: NonNullable<ServerFeature["methods"]> = {
    "logging/setLevel": (params, request) => writing.use(({ setLevel }) => setLevel(params, request)),
  };
  readonly #setup: LoggingSetup;
  #writer: writerModule.LogWriter | undefined;

  constructor(setup: LoggingSetup) {
    this.#setup = setup;
  }

  load(): Promise<unknown> | undefined {
    return this.#setup.options === undefined ? undefined : writing.load();
  }

  /**
   * Sends a message on behalf of a request: at the level that the request asks for (modern), or
   * that its session does (legacy).
   */
  logFor(request: InnerServerRequest, level: LoggingLevel, data: unknown, logger?: string): Promise<void> {
    return this.#write((writer) => writer.logFor(request, level, data, logger));
  }

  /**
   * Sends a message on a legacy session. Modern clients get no messages outside of a request.
   *
   * @source R-562
   */
  logOn(session: InnerServerSession, level: LoggingLevel, data: unknown, logger?: string): Promise<void> {
    return this.#write((writer) => writer.logOn(session, level, data, logger));
  }

  #write(write: (writer: writerModule.LogWriter) => Promise<void>): Promise<void> {
    return writing.use(({ LogWriter }) => {
      this.#writer ??= new LogWriter(this.#setup);
      return write(this.#writer);
    });
  }
}
