import type { ResolvedLimits } from "@tenon/base";
import { unref } from "@tenon/http/transport";
import { isNotification, type Incoming, type Request } from "@tenon/jsonrpc2/core";

import { attempt } from "../shared/attempt.ts";
import { HeaderName } from "../shared/names.ts";
import { refuseDenied } from "./authorization.ts";
import type { Call } from "./call.ts";
import { checkRevision } from "./check-revision.ts";
import { connectServer } from "./connect-server.ts";
import type { StreamableHandlerLimits } from "./limits.ts";
import type { Recency } from "./recency.ts";
import { noSession, refusal, refuse } from "./refusal.ts";
import { serveStream } from "./serve-stream.ts";
import type { ServerLike, SessionLike } from "./server-like.ts";
import { newSessionId } from "./session-id.ts";
import type { KeeperSetup, SessionKeeper } from "./session-keeper.ts";
import type { SessionEnd, SessionOptions } from "./session-options.ts";
import type { SessionOwner, SessionSettings } from "./session-settings.ts";
import { SessionTable, type Occupant } from "./session-table.ts";
import { Session } from "./session.ts";

/** A session and its connection. */
class Entry implements Occupant<Entry>, SessionOwner {
  readonly session: Session;
  served: Promise<SessionLike | undefined> | undefined;
  end: SessionEnd = "server";
  recency: Recency<Entry>;
  lastSeen = 0;
  older: Entry | undefined;
  newer: Entry | undefined;
  readonly #sessions: LocalSessions;

  constructor(
    sessionId: string,
    principal: string | undefined,
    sessions: LocalSessions,
    settings: SessionSettings,
    recency: Recency<Entry>,
  ) {
    this.#sessions = sessions;
    this.recency = recency;
    this.session = new Session({ sessionId, principal }, settings, this);
  }

  ended(): void {
    this.#sessions.ended(this);
  }

  rested(): void {
    this.#sessions.rested(this);
  }
}

type SessionLimits = Pick<
  ResolvedLimits<StreamableHandlerLimits>,
  "idleMs" | "maxSessions" | "maxSessionsPerPrincipal" | "retryMs"
>;

/** The legacy sessions of one handler. @source R-361…R-366 */
export class LocalSessions implements SessionKeeper {
  readonly #options: SessionOptions;
  readonly #settings: SessionSettings;
  readonly #authorize: KeeperSetup["authorize"];
  readonly #table: SessionTable<Entry>;
  /** Sessions that cannot be found any more and have not ended yet. */
  readonly #ending = new Set<Entry>();
  readonly #idleMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    options: SessionOptions,
    { idleMs, maxSessions, maxSessionsPerPrincipal, retryMs }: SessionLimits,
    { authorize, ...settings }: KeeperSetup,
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
    this.#table = new SessionTable(maxSessions, maxSessionsPerPrincipal);
  }

  /** Begins a session with the `initialize` of a client. */
  async open(request: Request, call: Call, server: ServerLike): Promise<void> {
    if (this.#authorize !== undefined && refuseDenied(this.#authorize, request, call)) {
      return;
    }
    const principal = call.info.auth?.principal;
    const message = this.#makeRoom(principal);
    if (message !== undefined) {
      refuse(call.exchange, refusal(503, message), { ...call.headers, "retry-after": "5" }, request.id);
      return;
    }
    const entry = this.#add(principal);
    const { session } = entry;
    entry.served = connectServer(server, session, this.#settings.onError);
    if ((await entry.served) === undefined) {
      await session.close();
      refuse(call.exchange, refusal(500, "Internal error"), call.headers, request.id);
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
    this.#table.touch(entry, !isNotification(incoming));
    entry.session.take(incoming, call);
  }

  /** Handles a GET or a DELETE that names a session. */
  async serve(call: Call, sessionId: string): Promise<void> {
    const entry = this.#find(sessionId, call);
    if (entry === undefined) {
      return;
    }
    if (call.exchange.method === "DELETE") {
      await this.#end(entry, "deleted", 0);
      call.exchange.respond(204, call.headers);
      return;
    }
    this.#table.touch(entry, true);
    await serveStream(entry.session, call);
  }

  /** Ends the sessions of a principal. */
  async revoke(principal: string): Promise<void> {
    await this.#endAll("revoked", 0, ({ session }) => session.principal === principal);
  }

  /** Ends all sessions. */
  async close(drainMs: number | undefined): Promise<void> {
    clearInterval(this.#timer);
    await this.#endAll("shutdown", drainMs, () => true);
  }

  /** Called when the connection of a session has ended. */
  ended(entry: Entry): void {
    if (this.#table.delete(entry)) {
      const { sessionId: id, principal } = entry.session;
      attempt(() => this.#options.onSessionClosed?.({ id, principal }, entry.end), this.#settings.onError);
    }
  }

  /** Called when a session may be idle. */
  rested(entry: Entry): void {
    this.#table.touch(entry, false);
  }

  #add(principal: string | undefined): Entry {
    const { onError } = this.#settings;
    const id = newSessionId(this.#options, onError, (made) => this.#table.get(made) !== undefined);
    const entry = new Entry(id, principal, this, this.#settings, this.#table.unused);
    this.#table.add(entry);
    attempt(() => this.#options.onSessionOpened?.({ id, principal }), onError);
    return entry;
  }

  /**
   * The session of a request. A session of another principal is treated as unknown.
   *
   * @source
   */
  #find(id: string, { exchange, headers, info, version }: Call): Entry | undefined {
    const entry = this.#table.get(id);
    const isOwn = entry !== undefined && entry.session.principal === info.auth?.principal;
    const refused = isOwn ? checkRevision(version) : noSession;
    if (refused !== undefined) {
      refuse(exchange, refused, headers);
      return undefined;
    }
    return entry;
  }

  async #endAll(
    end: SessionEnd,
    drainMs: number | undefined,
    fits: (entry: Entry) => boolean,
  ): Promise<void> {
    const ending = [...this.#ending].filter(fits).map((entry) => this.#close(entry, drainMs));
    const all = this.#table.all().filter(fits);
    await Promise.all([...ending, ...all.map((entry) => this.#end(entry, end, drainMs))]);
  }

  async #end(entry: Entry, end: SessionEnd, drainMs: number | undefined): Promise<void> {
    entry.end = end;
    // From here on requests do not find the session.
    this.ended(entry);
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

  /**
   * Makes room for a session of `principal`.
   *
   * @returns Why there is none, if no session may be ended for it.
   */
  #makeRoom(principal: string | undefined): string | undefined {
    const { victim, problem } = this.#table.find(principal);
    if (victim !== undefined) {
      void this.#end(victim, "evicted", 0).catch(this.#settings.onError);
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
    for (const recency of [this.#table.unused, this.#table.used]) {
      for (const entry of recency.members()) {
        if (entry.lastSeen > before) {
          break;
        }
        if (!entry.session.busy) {
          void this.#end(entry, "idle", 0).catch(this.#settings.onError);
        }
      }
    }
    if (this.#table.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}
