import { unref, type Exchange, type HeaderFields } from "@tenon/http/server";
import { LocalError, type AuthInfo, type Incoming, type Request } from "@tenon/jsonrpc2";

import { attempt } from "../shared/attempt.ts";
import { HeaderName } from "../shared/names.ts";
import { checkRevision } from "./check-revision.ts";
import { checkSessionId } from "./check-session-id.ts";
import { Recency, type Ranked } from "./recency.ts";
import { noSession, refusal, refuse } from "./refusal.ts";
import type { ServerLike, SessionLike } from "./server-like.ts";
import type { SessionCall, SessionKeeper } from "./session-keeper.ts";
import type { SessionEnd, SessionOptions } from "./session-options.ts";
import type { SessionSettings } from "./session-settings.ts";
import { serveStream } from "./session-stream.ts";
import { Session } from "./session.ts";

interface Entry extends Ranked<Entry> {
  readonly session: Session;
  served: Promise<SessionLike | undefined>;
  lastSeen: number;
  end: SessionEnd;
}

/** The legacy sessions of one handler. @source R-361…R-366 */
export class Sessions implements SessionKeeper {
  readonly #options: SessionOptions;
  readonly #settings: SessionSettings;
  readonly #entries = new Map<string, Entry>();
  readonly #recency = new Recency<Entry>();
  /** What nobody finds any more, and has not ended yet. */
  readonly #ending = new Set<Entry>();
  readonly #idleMs: number;
  readonly #max: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: SessionOptions, settings: Omit<SessionSettings, "eventStore" | "retryMs">) {
    this.#options = options;
    this.#settings = {
      ...settings,
      eventStore: options.eventStore,
      retryMs: options.retryMs ?? 1000,
    };
    this.#idleMs = options.idleMs ?? 1_800_000;
    this.#max = options.max ?? 10_000;
  }

  /** Begins a session with the `initialize` of a client. */
  async open(request: Request, call: SessionCall, server: ServerLike): Promise<void> {
    if (this.#entries.size >= this.#max && !this.#evict()) {
      const message = `There are ${this.#max} sessions already (sessions.max)`;
      refuse(
        call.exchange,
        refusal(503, -32603, message),
        { ...call.headers, "retry-after": "5" },
        request.id,
      );
      return;
    }
    const entry = this.#add(call.info.auth?.principal);
    const { session } = entry;
    entry.served = server.connect({ connect: () => Promise.resolve(session) }).catch((error: unknown) => {
      this.#settings.onError(error);
      void session.close();
      return undefined;
    });
    if ((await entry.served) === undefined) {
      refuse(call.exchange, refusal(500, -32603, "Internal error"), call.headers, request.id);
      return;
    }
    session.take(request, { ...call, headers: { ...call.headers, "mcp-session-id": session.sessionId } });
    this.#watchIdle();
  }

  /** Takes a POST that names a session. */
  post(incoming: Incoming, call: SessionCall, sessionId: string): void {
    const { exchange, headers, info } = call;
    this.#find(sessionId, info.auth, exchange, headers)?.take(incoming, call);
  }

  /** Serves GET and DELETE. */
  async serve(exchange: Exchange, auth: AuthInfo | undefined, headers: HeaderFields): Promise<void> {
    const id = exchange.header(HeaderName.sessionId);
    if (id === undefined) {
      // A GET without a session may come from an HTTP+SSE client, which 405 tells that it is wrong here (R-221, T-88).
      const message = "The request names no session (Mcp-Session-Id)";
      const get = exchange.method === "GET";
      refuse(
        exchange,
        refusal(get ? 405 : 400, -32600, message),
        get ? { ...headers, allow: "POST" } : headers,
      );
      return;
    }
    const session = this.#find(id, auth, exchange, headers);
    if (session === undefined) {
      return;
    }
    if (exchange.method === "DELETE") {
      await this.#end(session.sessionId, "deleted", 0);
      exchange.respond(204, headers);
      return;
    }
    await serveStream(session, exchange, headers);
  }

  /** Ends all sessions. */
  async close(drainMs: number | undefined): Promise<void> {
    clearInterval(this.#timer);
    const ending = [...this.#ending].map((entry) => this.#close(entry, drainMs));
    await Promise.all([
      ...ending,
      ...[...this.#entries.keys()].map((id) => this.#end(id, "shutdown", drainMs)),
    ]);
  }

  #add(principal: string | undefined): Entry {
    const sessionId = this.#options.generateId?.() ?? crypto.randomUUID();
    if (this.#entries.has(sessionId)) {
      throw new LocalError("INVALID_STATE", "sessions.generateId returned the id of an open session.");
    }
    checkSessionId(sessionId, "What sessions.generateId returned");
    const session = new Session({ sessionId, principal }, this.#settings, () => this.#ended(sessionId));
    const entry: Entry = {
      session,
      served: Promise.resolve(undefined),
      lastSeen: performance.now(),
      end: "server",
      older: undefined,
      newer: undefined,
    };
    this.#entries.set(sessionId, entry);
    this.#recency.touch(entry);
    attempt(() => this.#options.onSessionOpened?.({ id: sessionId, principal }), this.#settings.onError);
    return entry;
  }

  /** The session of a request. Somebody else's is answered like one that never was. @source */
  #find(
    id: string,
    auth: AuthInfo | undefined,
    exchange: Exchange,
    headers: HeaderFields,
  ): Session | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.session.principal !== auth?.principal) {
      refuse(exchange, noSession, headers);
      return undefined;
    }
    const refused = checkRevision(exchange);
    if (refused !== undefined) {
      refuse(exchange, refused, headers);
      return undefined;
    }
    entry.lastSeen = performance.now();
    this.#recency.touch(entry);
    return entry.session;
  }

  async #end(id: string, end: SessionEnd, drainMs: number | undefined): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      return;
    }
    entry.end = end;
    // From here on nobody finds it.
    this.#ended(id);
    await this.#close(entry, drainMs);
  }

  async #close(entry: Entry, drainMs: number | undefined): Promise<void> {
    this.#ending.add(entry);
    try {
      const served = await entry.served;
      await served?.close({ drainMs });
    } finally {
      this.#ending.delete(entry);
      await entry.session.close();
    }
  }

  #ended(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      return;
    }
    this.#entries.delete(id);
    this.#recency.delete(entry);
    const { principal } = entry.session;
    attempt(() => this.#options.onSessionClosed?.({ id, principal }, entry.end), this.#settings.onError);
  }

  /** Makes room by ending the session that was idle for longest. */
  #evict(): boolean {
    for (const { session } of this.#recency.members()) {
      if (!session.busy) {
        void this.#end(session.sessionId, "evicted", 0).catch(this.#settings.onError);
        return true;
      }
    }
    return false;
  }

  #watchIdle(): void {
    if (this.#timer === undefined && this.#idleMs > 0) {
      const every = Math.max(10, Math.min(this.#idleMs / 4, 60_000));
      this.#timer = setInterval(() => this.#expire(), every);
      unref(this.#timer);
    }
  }

  #expire(): void {
    const before = performance.now() - this.#idleMs;
    for (const { lastSeen, session } of this.#recency.members()) {
      if (lastSeen > before) {
        break;
      }
      if (!session.busy) {
        void this.#end(session.sessionId, "idle", 0).catch(this.#settings.onError);
      }
    }
    if (this.#entries.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}
