import {
  isBatch,
  isMalformed,
  isNotification,
  type Incoming,
  type Malformed,
  type Message,
  type Request,
} from "@tenon/jsonrpc2/core";
import type { SessionRecord } from "@tenon/stores";

import { attempt } from "../../shared/attempt.ts";
import { HeaderName } from "../../shared/names.ts";
import { refuseDenied } from "../authorization.ts";
import type { Call } from "../call.ts";
import { noSession, refusal, refuse, type Refusal } from "../refusal.ts";
import type { ServerLike } from "../server-like.ts";
import type { SessionKeeper } from "../session-keeper.ts";
import type { SessionEnd } from "../session-options.ts";
import { createAddresses, type Addresses } from "./addresses.ts";
import { AnonymousSessions } from "./anonymous.ts";
import { createNeighbour } from "./neighbour.ts";
import { connectNodes, type Nodes } from "./nodes.ts";
import { nodeOf, passTo } from "./pass.ts";
import { Records } from "./records.ts";
import { ReplicaTable, type Entry, type MovingSetup } from "./replica-table.ts";
import { SharedRevocations } from "./shared-revocations.ts";
import { serveMoved } from "./stream.ts";
import { Upkeep } from "./upkeep.ts";
import { Wakeups } from "./wakeups.ts";

const unavailable: Refusal = refusal(503, "Sessions are unavailable. Try again later");
const tooMany: Refusal = refusal(503, "Too many sessions");
const unreachable: Refusal = refusal(503, "The process that waits for this message cannot be reached");

/**
 * The legacy sessions of one handler whose records are in a store, so that other processes serve
 * them too. It keeps replicas, which can be dropped at any time.
 */
export class MovingSessions implements SessionKeeper {
  readonly #setup: MovingSetup;
  readonly #records: Records;
  readonly #node = crypto.randomUUID().slice(0, 13).replace("-", "");
  readonly #addresses: Addresses;
  readonly #nodes: Nodes;
  readonly #replicas: ReplicaTable;
  readonly #revocations: SharedRevocations;
  readonly #wakeups = new Wakeups();
  readonly #anonymous: AnonymousSessions;
  readonly #upkeep: Upkeep;

  constructor(setup: MovingSetup) {
    this.#setup = setup;
    const { stores, limits, settings } = setup;
    this.#records = new Records(stores.sessions, limits);
    this.#anonymous = new AnonymousSessions(limits.maxSessions);
    this.#addresses = createAddresses(this.#node);
    this.#replicas = new ReplicaTable(setup, this.#node, {
      addresses: this.#addresses,
      share: async ({ sessionId, principal }, change) => {
        const record = await this.#records.share(sessionId, principal, change);
        this.#nodes.tell("changed", sessionId);
        return record;
      },
      say: (node, session, message) =>
        this.#nodes.askIfHeard(node, { kind: "say", session, messages: [message] }),
      written: (node, session, streamId) => this.#nodes.ask(node, { kind: "written", session, streamId }),
      ended: ({ sessionId, principal }) => this.#end(sessionId, principal, "server"),
    });
    this.#revocations = new SharedRevocations(this.#records, settings);
    const owner = createNeighbour({
      replicas: this.#replicas,
      records: this.#records,
      addresses: this.#addresses,
      wakeups: this.#wakeups,
      revocations: this.#revocations,
      onError: settings.onError,
    });
    this.#nodes = connectNodes(stores.bus, this.#node, owner, limits.storeMs);
    this.#upkeep = new Upkeep(setup, {
      records: this.#records,
      replicas: this.#replicas,
      anonymous: this.#anonymous,
      revocations: this.#revocations,
      announceEnd: (id) => this.#announceEnd(id),
    });
  }

  async open(request: Request, call: Call, server: ServerLike): Promise<void> {
    const { authorize, onError } = this.#setup.settings;
    if (authorize !== undefined && refuseDenied(authorize, request, call)) {
      return;
    }
    const { exchange, headers, info } = call;
    const principal = info.auth?.principal;
    const entry = this.#replicas.add(this.#newId(), principal);
    if (entry === undefined) {
      refuse(exchange, tooMany, { ...headers, "retry-after": "5" }, request.id);
      return;
    }
    const id = entry.session.sessionId;
    const served = this.#replicas.serve(entry, server);
    let isAllowed: boolean;
    try {
      if (!(await this.#makeRoom(principal))) {
        await this.#replicas.drop(entry, 0);
        refuse(exchange, tooMany, { ...headers, "retry-after": "5" }, request.id);
        return;
      }
      isAllowed = await this.#revocations.whileOpening(principal, () => this.#create(entry, request));
    } catch (error) {
      onError(error);
      await this.#replicas.drop(entry, 0);
      // It may have been created although this process got no response.
      this.#records.delete(id).catch(() => undefined);
      refuse(exchange, unavailable, headers, request.id);
      return;
    }
    if (!isAllowed) {
      await this.#end(id, principal, "revoked");
      refuse(exchange, noSession, headers, request.id);
      return;
    }
    if ((await served) === undefined) {
      await this.#end(id, principal, "server");
      refuse(exchange, refusal(500, "Internal error"), headers, request.id);
      return;
    }
    attempt(() => this.#setup.options.onSessionOpened?.({ id, principal }), onError);
    entry.session.take(request, { ...call, headers: { ...headers, [HeaderName.sessionId]: id } });
  }

  post(incoming: Incoming, call: Call, sessionId: string): Promise<void> {
    return this.#post(incoming, call, sessionId);
  }

  async serve(call: Call, id: string): Promise<void> {
    const isEnd = call.exchange.method === "DELETE";
    const found = await this.#find(id, call, isEnd ? "end" : "use");
    if (found === undefined) {
      return;
    }
    if (isEnd) {
      await this.#delete(id, call);
      return;
    }
    if (found.entry !== undefined) {
      this.#replicas.touch(found.entry, true);
      await serveMoved(found.entry, call, {
        setup: this.#setup,
        records: this.#records,
        nodes: this.#nodes,
        node: this.#node,
        wakeups: this.#wakeups,
      });
    }
  }

  async revoke(principal: string): Promise<void> {
    await this.#revocations.share(principal, (revocation) => {
      const end = (id: string): Promise<void> => this.#end(id, principal, "revoked");
      const ended = this.#records.list(principal).then((ids) => Promise.all(ids.map(end)));
      return Promise.all([this.#nodes.revoke(revocation, principal), ended]);
    });
  }

  async close(drainMs: number | undefined): Promise<void> {
    this.#upkeep.stop();
    // The responses to requests of running handlers arrive at other processes.
    await this.#replicas.close(drainMs);
    await this.#nodes.close();
  }

  async #post(incoming: Incoming, call: Call, id: string): Promise<void> {
    const { authorize } = this.#setup.settings;
    const entry = (await this.#find(id, call, isNotification(incoming) ? "notice" : "use"))?.entry;
    if (entry === undefined || (authorize !== undefined && refuseDenied(authorize, incoming, call))) {
      return;
    }
    this.#replicas.touch(entry, !isNotification(incoming));
    if (isMalformed(incoming)) {
      entry.session.take(incoming, call);
      return;
    }
    const messages = isBatch(incoming) ? incoming.batch : [incoming];
    const kept: (Message | Malformed)[] = [];
    for (const message of messages) {
      if (isMalformed(message)) {
        kept.push(message);
        continue;
      }
      const node = nodeOf(message, entry.session, this.#addresses);
      if (node === undefined) {
        kept.push(message);
      } else if (node === this.#node) {
        kept.push(this.#addresses.inward(message));
      } else if (!(await passTo(node, id, message, this.#nodes, this.#setup.settings.onError))) {
        refuse(call.exchange, unreachable, call.headers);
        return;
      }
    }
    const [only] = kept;
    if (only === undefined) {
      call.exchange.respond(202, call.headers);
      return;
    }
    await entry.replica.receive(kept.filter((message): message is Message => !isMalformed(message)));
    entry.session.take(isBatch(incoming) ? { batch: kept } : only, call);
  }

  async #delete(id: string, { exchange, headers, info }: Call): Promise<void> {
    try {
      await this.#end(id, info.auth?.principal, "deleted");
      exchange.respond(204, headers);
    } catch (error) {
      this.#setup.settings.onError(error);
      refuse(exchange, unavailable, headers);
    }
  }

  async #create({ replica, session }: Entry, { params }: Request): Promise<void> {
    const { sessionId, principal } = session;
    const record = await this.#records.create(sessionId, principal, params);
    replica.opened(record);
    if (principal === undefined) {
      this.#anonymous.opened(sessionId, record.expiresAt);
    }
  }

  /**
   * Ends the oldest session of a principal that has as many as it may, or of those without.
   *
   * @returns False if there is no room.
   */
  async #makeRoom(principal: string | undefined): Promise<boolean> {
    if (principal === undefined) {
      return this.#anonymous.makeRoom(this.#records, (id) => this.#end(id, undefined, "evicted"));
    }
    const ids = await this.#records.list(principal);
    const [oldest] = ids;
    if (oldest !== undefined && ids.length >= this.#setup.limits.maxSessionsPerPrincipal) {
      await this.#end(oldest, principal, "evicted");
    }
    return true;
  }

  #newId(): string {
    const { options, settings, parts } = this.#setup;
    // Whether another process has the ID is seen when the record is created.
    return parts.newSessionId(options, settings.onError, (id) => this.#replicas.get(id) !== undefined);
  }

  /**
   * Finds the session of a request, whose record every request reads: it may have ended or changed
   * at another process.
   *
   * @param kind - For `end`, the server of this process is not needed.
   * @source
   */
  async #find(
    id: string,
    { exchange, headers, info, version }: Call,
    kind: "use" | "notice" | "end",
  ): Promise<{ readonly entry?: Entry | undefined } | undefined> {
    const principal = info.auth?.principal;
    let record: SessionRecord | undefined;
    try {
      record = await this.#records.get(id, principal);
    } catch (error) {
      this.#setup.settings.onError(error);
      refuse(exchange, unavailable, headers);
      return undefined;
    }
    const known = this.#replicas.get(id);
    if (record === undefined) {
      if (known !== undefined && known.session.principal === principal) {
        void this.#replicas.drop(known, 0).catch(this.#setup.settings.onError);
      }
      refuse(exchange, noSession, headers);
      return undefined;
    }
    const refused = this.#setup.parts.checkRevision(version);
    if (refused !== undefined) {
      refuse(exchange, refused, headers);
      return undefined;
    }
    if (kind === "end") {
      return {};
    }
    this.#upkeep.used(record, known, kind !== "notice");
    const entry = known ?? (await this.#replicas.rebuild(record, info));
    if (entry === undefined || !(await entry.ready)) {
      refuse(exchange, entry === undefined ? unavailable : noSession, headers);
      return undefined;
    }
    await entry.replica.apply(record, info);
    return { entry };
  }

  /** Ends a session in all processes. */
  async #end(id: string, principal: string | undefined, end: SessionEnd): Promise<void> {
    this.#anonymous.ended(id);
    const existed = await this.#records.delete(id);
    this.#announceEnd(id);
    const entry = this.#replicas.get(id);
    if (entry !== undefined) {
      await this.#replicas.drop(entry, 0);
    }
    if (existed) {
      const { options, settings } = this.#setup;
      attempt(() => options.onSessionClosed?.({ id, principal }, end), settings.onError);
    }
  }

  /** The events of a session are deleted once, by the process that has ended it. */
  #announceEnd(id: string): void {
    const { stores, settings } = this.#setup;
    this.#nodes.tell("ended", id);
    const forget = async (): Promise<void> => stores.events?.deleteSession(id);
    forget().catch(settings.onError);
  }
}
