import type { ResolvedLimits } from "@tenon/base";
import type { Message } from "@tenon/jsonrpc2";
import type { SessionRecord } from "@tenon/stores";

import type { checkRevision } from "../check-revision.ts";
import type { connectServer } from "../connect-server.ts";
import type { StreamableHandlerLimits } from "../limits.ts";
import type { RequestInfo } from "../request-info.ts";
import type { serveStream } from "../serve-stream.ts";
import type { GetServer, ServerLike, SessionLike } from "../server-like.ts";
import type { newSessionId } from "../session-id.ts";
import type { KeeperSetup } from "../session-keeper.ts";
import type { SessionOptions } from "../session-options.ts";
import type { SessionStores } from "../session-stores.ts";
import type { Occupant, SessionTable } from "../session-table.ts";
import type { Session } from "../session.ts";
import type { Addresses } from "./addresses.ts";
import { SharedEvents } from "./events.ts";
import type { FactChange } from "./facts.ts";
import { Replica } from "./replica.ts";

/** A session as this process serves it. */
export interface Entry extends Occupant<Entry> {
  readonly session: Session;
  readonly replica: Replica;
  readonly events: SharedEvents | undefined;
  served: Promise<SessionLike | undefined>;
  /** When this process extended the record last, by `performance.now()`. */
  touchedAt: number;
  /** Resolves when the server has the state of the session, to whether it could be rebuilt. */
  ready: Promise<boolean>;
  isDropped: boolean;
}

/**
 * Code that sessions without stores use too. It is passed rather than imported: bundlers would put
 * it into the first file of programs without any sessions.
 */
export interface SessionParts {
  readonly Session: typeof Session;
  readonly SessionTable: typeof SessionTable;
  readonly serveStream: typeof serveStream;
  readonly checkRevision: typeof checkRevision;
  readonly newSessionId: typeof newSessionId;
  readonly connectServer: typeof connectServer;
}

/** The dependencies of the sessions of a handler with stores. */
export interface MovingSetup {
  readonly options: SessionOptions;
  readonly stores: SessionStores;
  readonly limits: Pick<
    ResolvedLimits<StreamableHandlerLimits>,
    "idleMs" | "maxSessions" | "maxSessionsPerPrincipal" | "retryMs" | "storeMs"
  >;
  readonly settings: KeeperSetup;
  readonly getServer: GetServer;
  readonly parts: SessionParts;
}

/** The dependencies of {@link ReplicaTable} on other processes. */
export interface ReplicaTableOwner {
  readonly addresses: Addresses;
  /** Adds a change to the record of a session. @returns The record, if the session exists. */
  share(session: Session, change: FactChange): Promise<SessionRecord | undefined>;
  /** Sends a message on the stream that another process has. */
  say(node: string, sessionId: string, message: Message): Promise<boolean>;
  /** Notifies another process of a write to a stream that it follows. */
  written(node: string, sessionId: string, streamId: string): Promise<unknown>;
  /** The server has ended a session. */
  ended(session: Session): Promise<void>;
}

/** The sessions that this process serves now. Each can be dropped at any time, and rebuilt. */
export class ReplicaTable {
  readonly #setup: MovingSetup;
  readonly #node: string;
  readonly #owner: ReplicaTableOwner;
  readonly #table: SessionTable<Entry>;
  readonly #held = { length: 0 };
  #isClosing = false;

  constructor(setup: MovingSetup, node: string, owner: ReplicaTableOwner) {
    this.#setup = setup;
    this.#node = node;
    this.#owner = owner;
    this.#table = new setup.parts.SessionTable(
      setup.limits.maxSessions,
      setup.limits.maxSessionsPerPrincipal,
    );
  }

  get(id: string): Entry | undefined {
    return this.#table.get(id);
  }

  all(): readonly Entry[] {
    return this.#table.all();
  }

  /** Counts the idle time of a session from now on. @param isUse - Whether it is used now. */
  touch(entry: Entry, isUse: boolean): void {
    this.#table.touch(entry, isUse);
  }

  /** Adds a session, for which another may be dropped. @returns `undefined` if there is no room. */
  add(sessionId: string, principal: string | undefined): Entry | undefined {
    const { victim, problem } = this.#table.find(principal);
    const { authorize: _, ...settings } = this.#setup.settings;
    if (victim !== undefined) {
      // Its record stays: the session continues here or elsewhere with its next request.
      void this.drop(victim, 0).catch(settings.onError);
    }
    if (problem !== undefined || this.#isClosing) {
      return undefined;
    }
    const { stores, limits } = this.#setup;
    const events =
      stores.events &&
      new SharedEvents(stores.events, limits.storeMs, {
        fenced: () => session.release(),
        written: (node, streamId) => this.#owner.written(node, sessionId, streamId),
      });
    const writer = `${this.#node}.${crypto.randomUUID().slice(0, 8)}`;
    const streamId = (number: string, ids: readonly unknown[]): string => {
      const named = escaped(JSON.stringify(ids));
      return `${writer}.${number}${named.length <= 200 ? named : ""}`;
    };
    const session = new this.#setup.parts.Session(
      { sessionId, principal },
      { ...settings, eventStore: events, retryMs: limits.retryMs, held: this.#held, streamId },
      { ended: () => this.#ended(entry), rested: () => this.touch(entry, false) },
    );
    const replica = new Replica(session, {
      addresses: this.#owner.addresses,
      share: (change) => this.#owner.share(session, change),
      say: (node, message) => this.#owner.say(node, sessionId, message),
      onError: settings.onError,
    });
    const entry: Entry = {
      session,
      replica,
      events,
      served: Promise.resolve(undefined),
      ready: Promise.resolve(true),
      isDropped: false,
      touchedAt: performance.now(),
      recency: this.#table.unused,
      lastSeen: 0,
      older: undefined,
      newer: undefined,
    };
    this.#table.add(entry);
    return entry;
  }

  /** Connects a server to a session. */
  serve(entry: Entry, server: ServerLike): Promise<SessionLike | undefined> {
    const { parts, settings } = this.#setup;
    entry.served = parts.connectServer(server, entry.replica, settings.onError);
    return entry.served;
  }

  /** Adds a session that another process has opened. @returns `undefined` if that is impossible. */
  async rebuild(record: SessionRecord, info: RequestInfo): Promise<Entry | undefined> {
    const server = await this.#setup.getServer(info);
    const known = this.#table.get(record.id);
    if (known !== undefined || server === undefined) {
      return known;
    }
    const entry = this.add(record.id, record.principal);
    if (entry !== undefined) {
      const served = this.serve(entry, server);
      entry.ready = (async () => {
        const isReady = (await served) !== undefined && (await entry.replica.rebuild(record, info));
        if (!isReady) {
          void this.drop(entry, 0).catch(this.#setup.settings.onError);
        }
        return isReady;
      })();
    }
    return entry;
  }

  /** Ends what this process has of a session. Its record and its events stay. */
  async drop(entry: Entry, drainMs: number | undefined): Promise<void> {
    entry.isDropped = true;
    this.#table.delete(entry);
    try {
      const served = await entry.served;
      await served?.close({ drainMs });
    } finally {
      await entry.replica.close();
    }
  }

  /** Drops all sessions. */
  async close(drainMs: number | undefined): Promise<void> {
    this.#isClosing = true;
    await Promise.all(
      this.all().map(async (entry) => {
        // Responses of clients must find the session until its handlers have finished.
        entry.isDropped = true;
        const served = await entry.served;
        await served?.close({ drainMs });
        await this.drop(entry, 0);
      }),
    );
  }

  #ended(entry: Entry): void {
    this.#table.delete(entry);
    if (!entry.isDropped) {
      entry.isDropped = true;
      void this.#owner.ended(entry.session).catch(this.#setup.settings.onError);
    }
  }
}

/** JSON in visible ASCII, as IDs of events must be: a client may choose any string as an ID. */
function escaped(json: string): string {
  return json.replace(/[^!-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
