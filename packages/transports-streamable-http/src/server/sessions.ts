import { takeLateFailure, type ResolvedLimits } from "@tenon/base";
import { unref } from "@tenon/http/transport";
import { isNotification, LocalError, type Incoming, type Request } from "@tenon/jsonrpc2/core";

import { attempt } from "../shared/attempt.ts";
import { HeaderName } from "../shared/names.ts";
import { refuseDenied } from "./authorization.ts";
import type { Call } from "./call.ts";
import { checkRevision } from "./check-revision.ts";
import { checkSessionId } from "./check-session-id.ts";
import type { StreamableHandlerLimits } from "./limits.ts";
import type { Recency } from "./recency.ts";
import { noSession, refusal, refuse } from "./refusal.ts";
import type { ServerLike, SessionLike } from "./server-like.ts";
import type { KeeperSettings, SessionKeeper } from "./session-keeper.ts";
import type { SessionEnd, SessionOptions } from "./session-options.ts";
import { SessionRoom, type Occupant } from "./session-room.ts";
import type { SessionSettings } from "./session-settings.ts";
import { serveStream } from "./session-stream.ts";
import { Session } from "./session.ts";

interface Entry extends Occupant<Entry> {
  readonly session: Session;
  served: Promise<SessionLike | undefined>;
  end: SessionEnd;
}

type SessionLimits = Pick<
  ResolvedLimits<StreamableHandlerLimits>,
  "idleMs" | "maxSessions" | "maxSessionsPerPrincipal" | "retryMs"
>;

/** The legacy sessions of one handler. @source R-361…R-366 */
export class Sessions implements SessionKeeper {
  readonly #options: SessionOptions;
  readonly #settings: SessionSettings;
  readonly #authorize: KeeperSettings["authorize"];
  readonly #entries = new Map<string, Entry>();
  readonly #room: SessionRoom<Entry>;
  /** Sessions that cannot be found any more and have not ended yet. */
  readonly #ending = new Set<Entry>();
  readonly #idleMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    options: SessionOptions,
    { idleMs, maxSessions, maxSessionsPerPrincipal, retryMs }: SessionLimits,
    { authorize, ...settings }: KeeperSettings,
  ) {
    this.#options = options;
    this.#authorize = authorize;
    this.#settings = {
      ...settings,
      eventStore: options.eventStore,
      retryMs,
      held: { length: 0 },
    };
    this.#idleMs = idleMs;
    this.#room = new SessionRoom(maxSessions, maxSessionsPerPrincipal);
  }

  /** Begins a session with the `initialize` of a client. */
  async open(request: Request, call: Call, server: ServerLike): Promise<void> {
    if (this.#authorize !== undefined && refuseDenied(this.#authorize, request, call)) {
      return;
    }
    const principal = call.info.auth?.principal;
    const message = this.#makeRoom(principal);
    if (message !== undefined) {
      refuse(
        call.exchange,
        refusal(503, -32603, message),
        { ...call.headers, "retry-after": "5" },
        request.id,
      );
      return;
    }
    const entry = this.#add(principal);
    const { session } = entry;
    entry.served = this.#connect(server, session);
    if ((await entry.served) === undefined) {
      refuse(call.exchange, refusal(500, -32603, "Internal error"), call.headers, request.id);
      return;
    }
    session.take(request, {
      ...call,
      headers: { ...call.headers, [HeaderName.sessionId]: session.sessionId },
    });
    this.#watchIdle();
  }

  /** Handles a POST that names a session. */
  post(incoming: Incoming, call: Call, sessionId: string): undefined {
    const entry = this.#find(sessionId, call);
    if (entry === undefined) {
      return;
    }
    if (this.#authorize !== undefined && refuseDenied(this.#authorize, incoming, call)) {
      return;
    }
    this.#touch(entry, isNotification(incoming) ? entry.recency : this.#room.used);
    entry.session.take(incoming, call);
  }

  /** Handles a GET or a DELETE that names a session. */
  async serve(call: Call, sessionId: string): Promise<void> {
    const entry = this.#find(sessionId, call);
    if (entry === undefined) {
      return;
    }
    if (call.exchange.method === "DELETE") {
      await this.#end(sessionId, "deleted", 0);
      call.exchange.respond(204, call.headers);
      return;
    }
    this.#touch(entry, this.#room.used);
    await serveStream(entry.session, call);
  }

  /** Ends the sessions of a principal. */
  async revoke(principal: string): Promise<void> {
    const revoked = [...this.#entries.values()].filter(({ session }) => session.principal === principal);
    const ending = [...this.#ending].filter(({ session }) => session.principal === principal);
    await Promise.all([
      ...revoked.map(({ session }) => this.#end(session.sessionId, "revoked", 0)),
      ...ending.map((entry) => this.#close(entry, 0)),
    ]);
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

  /** Connects a server to a session; a session that none is connected to ends. */
  async #connect(server: ServerLike, session: Session): Promise<SessionLike | undefined> {
    try {
      return await server.connect({ connect: () => Promise.resolve(session) });
    } catch (error) {
      this.#settings.onError(error);
      await session.close();
      return undefined;
    }
  }

  #add(principal: string | undefined): Entry {
    const sessionId = this.#newId();
    const session = new Session({ sessionId, principal }, this.#settings, {
      ended: () => this.#ended(sessionId),
      rested: () => this.#touch(entry, entry.recency),
    });
    const entry: Entry = {
      session,
      recency: this.#room.unused,
      served: Promise.resolve(undefined),
      lastSeen: 0,
      end: "server",
      older: undefined,
      newer: undefined,
    };
    this.#entries.set(sessionId, entry);
    this.#room.add(entry);
    attempt(() => this.#options.onSessionOpened?.({ id: sessionId, principal }), this.#settings.onError);
    return entry;
  }

  #newId(): string {
    const { generateId } = this.#options;
    if (generateId === undefined) {
      return crypto.randomUUID();
    }
    const made: unknown = generateId();
    takeLateFailure(made, this.#settings.onError);
    const sessionId = checkSessionId(made, "The return value of sessions.generateId");
    if (this.#entries.has(sessionId)) {
      throw new LocalError("INVALID_STATE", "sessions.generateId returned the id of an open session.");
    }
    return sessionId;
  }

  /**
   * The session of a request. A session of another principal is treated as unknown.
   *
   * @source
   */
  #find(id: string, { exchange, headers, info, version }: Call): Entry | undefined {
    const entry = this.#entries.get(id);
    const isOwn = entry !== undefined && entry.session.principal === info.auth?.principal;
    const refused = isOwn ? checkRevision(version) : noSession;
    if (refused !== undefined) {
      refuse(exchange, refused, headers);
      return undefined;
    }
    return entry;
  }

  /** Counts the idle time of a session from now on. */
  #touch(entry: Entry, recency: Recency<Entry>): void {
    if (this.#entries.get(entry.session.sessionId) === entry) {
      this.#room.touch(entry, recency);
    }
  }

  async #end(id: string, end: SessionEnd, drainMs: number | undefined): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      return;
    }
    entry.end = end;
    // From here on requests do not find the session.
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
    this.#room.delete(entry);
    const { principal } = entry.session;
    attempt(() => this.#options.onSessionClosed?.({ id, principal }, entry.end), this.#settings.onError);
  }

  /**
   * Makes room for a session of `principal`.
   *
   * @returns Why there is none, if no session may be ended for it.
   */
  #makeRoom(principal: string | undefined): string | undefined {
    const { victim, problem } = this.#room.find(principal);
    if (victim !== undefined) {
      void this.#end(victim.session.sessionId, "evicted", 0).catch(this.#settings.onError);
    }
    return problem;
  }

  #watchIdle(): void {
    if (this.#timer === undefined && this.#idleMs < Infinity) {
      const every = Math.max(10, Math.min(this.#idleMs / 4, 60_000));
      this.#timer = setInterval(() => this.#expire(), every);
      unref(this.#timer);
    }
  }

  #expire(): void {
    const before = performance.now() - this.#idleMs;
    for (const recency of [this.#room.unused, this.#room.used]) {
      for (const { lastSeen, session } of recency.members()) {
        if (lastSeen > before) {
          break;
        }
        if (!session.busy) {
          void this.#end(session.sessionId, "idle", 0).catch(this.#settings.onError);
        }
      }
    }
    if (this.#entries.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}
