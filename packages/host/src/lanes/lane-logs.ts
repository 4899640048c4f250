import { unlessAborted } from "@tenon/base";
import type { RequestId } from "@tenon/jsonrpc2/core";
import type { ClientRequest, ClientSession, ServerRequest, ServerSession } from "@tenon/mcp";
import type { LoggingLevel } from "@tenon/protocol";

/** A request that runs at a server. */
export interface LoggedRequest {
  /** Equal for requests of one client. */
  readonly key: unknown;
  /** The present request of its client, which gets the messages. */
  readonly request: () => ServerRequest;
  /** Whether the request wants messages of a modern server. Default: `false`. */
  readonly isLogged?: boolean;
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
  readonly #onUnknown: () => void;
  /** The key of the client that has used the connection, if it was only one. */
  #user: { readonly key: unknown } | undefined;
  #hasOthers: boolean;
  #level = Infinity;
  #asking: { readonly level: number; readonly done: Promise<void> } | undefined;

  /**
   * Creates the logs of a new connection.
   *
   * @param hasOthers - Whether others use the connection besides.
   * @param onUnknown - Called for each message that could belong to several clients.
   */
  constructor(hasOthers: boolean, onUnknown: () => void) {
    this.#hasOthers = hasOthers;
    this.#onUnknown = onUnknown;
  }

  /** Notes that a client uses the connection. */
  usedBy(key: unknown): void {
    this.#user ??= { key };
    this.#hasOthers ||= this.#user.key !== key;
  }

  /** Runs a request. @param send - Gets the function that must be called with its id. */
  async during<T>(of: LoggedRequest, send: (onId: (id: RequestId) => void) => Promise<T>): Promise<T> {
    const ids = new Set<RequestId>();
    this.usedBy(of.key);
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
   * Sends a message on, at the level of its client. A malformed message is dropped, and so is one
   * that names no request if it may belong to several. A legacy server may log after its response,
   * so a request in flight need not be the cause if several clients have used the connection. A
   * modern server logs only for requests in flight that ask for messages.
   *
   * @param session - The client, if the connection has only one.
   */
  pass({ params, relatedTo, session: own }: ClientRequest, session: ServerSession | undefined): void {
    const { level, data, logger } = params;
    if (!levels.includes(level)) {
      return;
    }
    const logged =
      relatedTo === undefined && own?.era === "modern"
        ? [...this.#running.values()].filter(({ isLogged }) => isLogged === true)
        : undefined;
    if (relatedTo === undefined && (logged === undefined ? this.#hasOthers : logged.length > 1)) {
      this.#onUnknown();
      return;
    }
    const owner =
      relatedTo === undefined ? (logged ?? [...this.#running.values()]).at(-1) : this.#running.get(relatedTo);
    const receiver = owner?.request() ?? session;
    const name = typeof logger === "string" ? logger : undefined;
    void receiver?.log(level as LoggingLevel, data, name).catch(() => {});
  }

  /**
   * Requests messages of a level from a legacy server. The level only falls, and a request that
   * fails is sent again for the next call.
   */
  async want(level: unknown, session: ClientSession, signal?: AbortSignal): Promise<void> {
    const wanted = levels.indexOf(level);
    if (
      wanted !== -1 &&
      wanted < this.#level &&
      session.era === "legacy" &&
      session.offers("logging/setLevel")
    ) {
      const before = this.#asking;
      if (before === undefined || before.level > wanted) {
        const asking = { level: wanted, done: this.#ask(wanted, session, signal, before?.done) };
        this.#asking = asking;
        void asking.done.then(() => {
          this.#asking = this.#asking === asking ? undefined : this.#asking;
        });
      }
      await unlessAborted(this.#asking?.done ?? Promise.resolve(), signal);
    }
  }

  /** One after the other: otherwise an earlier request could set a higher level again. */
  async #ask(
    wanted: number,
    session: ClientSession,
    signal: AbortSignal | undefined,
    before: Promise<void> | undefined,
  ): Promise<void> {
    try {
      await before;
      await session.setLogLevel(levels[wanted] as LoggingLevel, signal === undefined ? {} : { signal });
      this.#level = Math.min(this.#level, wanted);
    } catch {
      // Without messages the call is as good as with them.
    }
  }
}
