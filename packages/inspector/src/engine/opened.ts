import type { CallToolResult } from "@tenon/protocol";

import type { Chat } from "../chat/chat.lazy.ts";
import type { ChatModel } from "../chat/model.ts";
import type { InputKind, ServerState } from "../wire/state.ts";
import { authFact } from "./auth-fact.ts";
import { createCalls, type Calls } from "./calls.ts";
import { createExtraHeaders, type ExtraHeaders } from "./extra-headers.ts";
import { connectionsOf, observedFetch, observedTransport, type FeedOwner } from "./feed.ts";
import { createInputRequests, type InputRequests } from "./input-requests.ts";
import type { ResolvedInspectorLimits } from "./limits.ts";
import { createLive, type Live } from "./live.ts";
import type { Log } from "./log.ts";
import type { LiveSource, ServerAddress } from "./source.ts";

/** A server that is open, with everything that belongs to it alone. */
export interface OpenedServer {
  readonly id: string;
  readonly state: ServerState;
  readonly live: Live;
  readonly address: ServerAddress | undefined;
  readonly url: string | undefined;
  readonly headers: ExtraHeaders;
  /** Sends requests as the source wants it. The page shows them. */
  readonly fetch: typeof fetch;
  readonly calls: Calls;
  readonly inputRequests: InputRequests;
  readonly feed: FeedOwner;
  /** Connects. A server of the list is read from it again, because it may have changed. */
  connect(): Promise<void>;
  /** The conversation with the model. @throws If there is no model. */
  chat(): Promise<Chat>;
  close(): Promise<void>;
}

/** The parts of an inspector that its servers share. */
export interface OpenedOwner {
  readonly limits: ResolvedInspectorLimits;
  readonly log: Log;
  readonly now: () => number;
  readonly nextConnection: () => number;
  readonly nextSession: () => number;
  readonly nextQuestion: () => string;
  /** How many input requests of one server may wait. */
  readonly mostInputRequests: () => number;
  /** Makes room for an input request of a server, of which so many wait. */
  readonly makeRoom: (waiting: number) => boolean;
  /** Reads a server of the list again. Absent for the server that the inspector began with. */
  readonly reopen?: (() => Promise<LiveSource>) | undefined;
  readonly model: ChatModel | undefined;
  readonly onChange: () => void;
}

/** Opens a server. It connects when told to. */
export function createOpened(id: string, first: LiveSource, owner: OpenedOwner): OpenedServer {
  const { limits, log, now, onChange, model } = owner;
  const { last, next } = connectionsOf(owner.nextConnection);
  const requests = log.requestsOf(id);
  const feed: FeedOwner = {
    now,
    nextConnection: next,
    lastConnection: last,
    connectionOf: (request) => (feed.isOpen(last(), request) ? last() : undefined),
    isOpen: (connection, request) => requests.requestOf(connection, request) !== undefined,
    add: (fact) => log.add(fact, id),
  };
  const problem = (title: string): void =>
    feed.add({ at: now(), connection: last(), kind: "problem", title, outcome: "error" });
  const calls = createCalls({
    now,
    requestOf: (request) => requests.requestOf(last(), request),
    onQueued: (request, at) => requests.queue(last(), request, at),
    onChange,
    onFailure: (error) => live.note(error),
  });
  const inputRequests = createInputRequests(limits, {
    now,
    onChange,
    nextId: owner.nextQuestion,
    most: owner.mostInputRequests,
    makeRoom: owner.makeRoom,
    ownerOf: calls.ownerOf,
    onRefused: problem,
  });
  let source = first;
  let url = urlOf(first);
  let headers = createExtraHeaders(url);
  let live = reach();
  let talk: Chat | undefined;
  let reconnecting: Promise<void> = Promise.resolve();
  let isClosed = false;

  function sending(): typeof fetch {
    return observedFetch(source.fetch ?? fetch, feed);
  }

  function reach(): Live {
    return createLive(source, {
      observe: (transport) => observedTransport(transport, "client", feed),
      fetch: headers.added(sending()),
      inputRequests,
      nextSession: owner.nextSession,
      onChange,
      onProblem: problem,
      onLost() {
        // A connection that ends with an error is logged as the error only.
        if (requests.isWaiting(last())) {
          feed.add({ at: now(), connection: last(), kind: "end", title: "The connection ended." });
        }
      },
      loginEvents() {
        let previous = "";
        return (event) => {
          const fact = authFact(event);
          const text = JSON.stringify(fact);
          // The end of a login and its tokens are two equal events.
          if (text !== previous || fact.outcome !== "ok") {
            feed.add({ ...fact, connection: last(), at: now() });
          }
          previous = text;
        };
      },
    });
  }

  const isInUse = (): boolean => ["open", "connecting"].includes(live.state.phase) || live.isLoggingOut;

  async function readAgain(reopen: () => Promise<LiveSource>): Promise<void> {
    if (isInUse()) {
      return;
    }
    const next = await reopen();
    const nextUrl = urlOf(next);
    // In the meantime a login may have connected, or a logout may have begun.
    if (isClosed || isInUse()) {
      return;
    }
    const isOther = JSON.stringify(next.address) !== JSON.stringify(source.address);
    source = next;
    await live.close();
    if (isClosed) {
      return;
    }
    if (isOther) {
      // The person has allowed calls, and stored responses, for the other server.
      talk?.forget();
      talk = undefined;
      for (const kind of Object.keys(inputRequests.always) as InputKind[]) {
        inputRequests.askAgain(kind);
      }
    }
    if (nextUrl !== url) {
      // The headers were meant for the other address.
      url = nextUrl;
      headers = createExtraHeaders(url);
    }
    live = reach();
    live.connect();
    onChange();
  }

  return {
    id,
    calls,
    inputRequests,
    feed,
    get live() {
      return live;
    },
    get address() {
      return source.address;
    },
    get url() {
      return url;
    },
    get headers() {
      return headers;
    },
    get fetch() {
      return sending();
    },
    get state() {
      return {
        id,
        source: { ...live.state, ...(url === undefined ? {} : { url: withoutSecrets(url) }) },
        inputRequests: inputRequests.waiting,
        calls: calls.states,
        watched: live.watched,
        roots: live.roots,
        headers: headers.all,
        always: inputRequests.always,
        ...(talk === undefined ? {} : { chat: talk.state }),
      };
    },
    connect() {
      const { reopen } = owner;
      if (reopen === undefined) {
        live.connect();
        return Promise.resolve();
      }
      const read = reconnecting.then(() => readAgain(reopen));
      reconnecting = read.catch(() => undefined);
      return read;
    },
    async chat() {
      if (model === undefined) {
        throw new TypeError("There is no model to chat with. Start the inspector with one: --model.");
      }
      const { createChat } = await import("../chat/chat.lazy.ts");
      talk ??= createChat({
        model,
        session() {
          if (live.session === undefined) {
            throw new TypeError("Connect to the server first.");
          }
          return live.session;
        },
        async callTool(opened, call, params, signal) {
          const cancel = (): void => void calls.cancel(call);
          signal.addEventListener("abort", cancel, { once: true });
          try {
            const result = await calls.start(opened, { do: "call", call, method: "tools/call", params });
            return result as CallToolResult;
          } finally {
            signal.removeEventListener("abort", cancel);
          }
        },
        onChange,
      });
      return talk;
    },
    async close() {
      isClosed = true;
      talk?.stop();
      inputRequests.close();
      calls.close();
      // A list that is being read is not waited for: its result is ignored.
      await live.close();
    },
  };
}

/** @throws `TypeError` for an address that is not a URL. */
function urlOf({ address }: LiveSource): string | undefined {
  const url = address !== undefined && "url" in address ? address.url : undefined;
  if (url !== undefined && !URL.canParse(url)) {
    throw new TypeError(`address.url must be an absolute URL; got ${JSON.stringify(url)}.`);
  }
  return url;
}

/** An address without the parts that often are credentials. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
