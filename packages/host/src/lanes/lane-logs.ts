import type { RequestId } from "@tenon/jsonrpc2/core";
import type { ClientRequest, ClientSession, ServerRequest, ServerSession } from "@tenon/mcp";
import type { LoggingLevel } from "@tenon/protocol";

/** A request that runs at a server. */
export interface LoggedRequest {
  /** Equal for requests of one client. */
  readonly key: unknown;
  /** The present request of its client, which gets the messages. */
  readonly request: () => ServerRequest;
}

const levels: readonly unknown[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The log messages of one connection: each goes to the client whose request caused it. */
export class LaneLogs {
  readonly #running = new Map<RequestId, LoggedRequest>();
  #level = Infinity;

  /** Runs a request. @param send - Gets the function that must be called with its id. */
  async during<T>(of: LoggedRequest, send: (onId: (id: RequestId) => void) => Promise<T>): Promise<T> {
    const ids = new Set<RequestId>();
    try {
      return await send((id) => {
        ids.add(id);
        this.#running.set(id, of);
      });
    } finally {
      ids.forEach((id) => this.#running.delete(id));
    }
  }

  /**
   * Sends a message on, at the level of its client. A message that could belong to several clients
   * is dropped, and so is a malformed one.
   *
   * @param session - The client, if the connection has only one.
   */
  pass({ params, relatedTo }: ClientRequest, session: ServerSession | undefined): void {
    const { level, data, logger } = params;
    const owner = relatedTo === undefined ? this.#only() : this.#running.get(relatedTo);
    const receiver = owner?.request() ?? session;
    const name = typeof logger === "string" ? logger : undefined;
    if (levels.includes(level)) {
      void receiver?.log(level as LoggingLevel, data, name).catch(() => {});
    }
  }

  /** Requests messages of a level from a legacy server. The level only falls. */
  async want(level: unknown, session: ClientSession): Promise<void> {
    const wanted = levels.indexOf(level);
    if (
      wanted !== -1 &&
      wanted < this.#level &&
      session.era === "legacy" &&
      session.offers("logging/setLevel")
    ) {
      this.#level = wanted;
      // Without messages the call is as good as with them.
      await session.setLogLevel(level as LoggingLevel).catch(() => {});
    }
  }

  /** The last request, if all that run are of one client. */
  #only(): LoggedRequest | undefined {
    const all = [...this.#running.values()];
    return all.every(({ key }) => key === all[0]?.key) ? all.at(-1) : undefined;
  }
}
