import { reasonOf } from "@tenon/base";
import type { Connection, Transport } from "@tenon/jsonrpc2";

import type { Action, SavedCall } from "../wire/action.ts";
import type { InputKind, InspectorState, SourceState } from "../wire/state.ts";
import { authFact } from "./auth-fact.ts";
import { createCalls } from "./calls.ts";
import { parseCassetteLine } from "./cassette-line.ts";
import { readDefinitions } from "./definitions.ts";
import { createExtraHeaders, type ExtraHeaders } from "./extra-headers.ts";
import type { NoteFact } from "./fact.ts";
import { factsOfEntry, observedFetch, observedTransport, type FeedOwner } from "./feed.ts";
import { createInputRequests } from "./input-requests.ts";
import type { ResolvedInspectorLimits } from "./limits.ts";
import { createLive, type Live } from "./live.ts";
import { createLog, type Log } from "./log.ts";
import type { SavedCalls } from "./saved.ts";
import type { InspectorServers, InspectorSource, LiveSource, ServerAddress } from "./source.ts";

/** An action that cannot be done, with a sentence for the person. */
export class ActionError extends Error {
  override readonly name = "ActionError";
}

/** Runs the session, keeps the lines, and does what the page asks for. */
export interface Engine {
  readonly log: Log;
  readonly state: InspectorState;
  /** The address at which other programs reach the server. */
  readonly address: ServerAddress | undefined;
  /** Calls `listener` after every change, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** @throws `ActionError` for an action that cannot be done. */
  act(action: Action): Promise<unknown>;
  add(fact: Omit<NoteFact, "at">): void;
  observe<C extends Connection>(transport: Transport<C>, side: "client" | "server"): Transport<C>;
  fetch(inner: typeof fetch): typeof fetch;
  /** Adds a line of a cassette. The first line may be its header. */
  write(line: string): void;
  close(): Promise<void>;
}

/** The parts of an engine that its user chooses. */
export interface EngineParts {
  readonly source: InspectorSource;
  readonly limits: ResolvedInspectorLimits;
  readonly store: SavedCalls;
  /** The address of the sandbox proxy of views. */
  readonly sandbox?: string | undefined;
  readonly servers?: InspectorServers | undefined;
}

/** The client of a live server, and its address. */
interface Reached {
  readonly live: Live;
  readonly address: ServerAddress | undefined;
  readonly url: string | undefined;
  readonly headers: ExtraHeaders;
}

/** Creates the engine and starts its source. */
export function createEngine({ source, limits, store, sandbox, servers }: EngineParts): Engine {
  const start = performance.now();
  const now = (): number => Math.round((performance.now() - start) * 1000) / 1000;
  const listeners = new Set<() => void>();
  const changed = (): void => listeners.forEach((listener) => listener());
  const log = createLog(limits, changed);
  let connections = 0;
  let saved: readonly SavedCall[] = [];
  let side: "client" | "server" = "client";
  let sessions = 0;
  const lastConnection = (): number => Math.max(0, connections - 1);
  const problem = (title: string): void => {
    log.add({
      at: now(),
      connection: lastConnection(),
      kind: "problem",
      title,
      outcome: "error",
    });
  };
  const feed: FeedOwner = { now, nextConnection: () => connections++, lastConnection, add: log.add };
  const calls = createCalls({
    now,
    requestOf: (id) => log.requestOf(lastConnection(), id),
    onQueued: (id, at) => log.queue(lastConnection(), id, at),
    onChange: changed,
    onFailure: (error) => reached?.live.note(error),
  });
  const inputRequests = createInputRequests(limits, {
    now,
    onChange: changed,
    callOf: calls.callOf,
    onRefused: problem,
  });
  function reach(server: LiveSource): Reached {
    const { address } = server;
    const url = address !== undefined && "url" in address ? address.url : undefined;
    const headers = createExtraHeaders(url);
    const live = createLive(server, {
      observe: (transport) => observedTransport(transport, "client", feed),
      fetch: headers.added(observedFetch(server.fetch ?? fetch, feed)),
      inputRequests,
      nextSession: () => ++sessions,
      onChange: changed,
      onProblem: problem,
      onLoginEvent: (event) => log.add({ ...authFact(event), at: now() }),
    });
    return { live, address, url, headers };
  }

  let reached = source.kind === "live" ? reach(source) : undefined;
  let switching: Promise<void> = Promise.resolve();

  /** Ends the session, and connects to another server. */
  async function switchTo(open: () => Promise<LiveSource>): Promise<void> {
    const next = await open();
    calls.close();
    await reached?.live.close();
    // The person gave these responses to the other server.
    for (const kind of Object.keys(inputRequests.always) as InputKind[]) {
      inputRequests.askAgain(kind);
    }
    reached = reach(next);
    reached.live.connect();
    changed();
  }

  reached?.live.connect();
  if (source.kind === "recording") {
    for (const entry of source.cassette.entries) {
      for (const fact of factsOfEntry(entry, source.cassette.header.side)) {
        log.add(fact);
      }
    }
  }
  store.load().then(
    (loaded) => {
      saved = loaded;
      changed();
    },
    (error: unknown) => problem(`The stored calls could not be read: ${reasonOf(error)}`),
  );

  function liveSession(): { live: Live; session: NonNullable<Live["session"]> } {
    if (reached === undefined) {
      throw new ActionError(
        `A ${source.kind === "tap" ? "tap only listens" : "recording only shows what was said"}: start the inspector with a server to send requests.`,
      );
    }
    const { live } = reached;
    if (live.session === undefined) {
      throw new ActionError("Connect to the server first.");
    }
    return { live, session: live.session };
  }

  function requireFree(): void {
    if (calls.running >= limits.maxInFlight) {
      throw new ActionError(`${calls.running} calls run; wait for one of them or cancel it.`);
    }
  }

  async function act(action: Action): Promise<unknown> {
    switch (action.do) {
      case "call": {
        const { session } = liveSession();
        requireFree();
        calls.start(session, action);
        return undefined;
      }
      case "cancel":
        return calls.cancel(action.call);
      case "answer":
        if (!inputRequests.answer(action.question, action.answer, action.always === true)) {
          throw new ActionError(
            "This input request has ended: the server cancelled it, or another page responded.",
          );
        }
        return undefined;
      case "ask":
        return inputRequests.askAgain(action.kind);
      case "roots":
        return liveSession().live.setRoots(action.roots);
      case "headers":
        reached?.headers.set(action.headers);
        return changed();
      case "request": {
        const { session } = liveSession();
        requireFree();
        return calls.request(session, action);
      }
      case "view":
        return (await import("./extensions.lazy.ts")).readView(liveSession().session, action.uri);
      case "skills":
        return (await import("./extensions.lazy.ts")).listSkills(liveSession().session);
      case "skill":
        return (await import("./extensions.lazy.ts")).readSkillFile(
          liveSession().session,
          action.uri,
          action.path,
        );
      case "cors": {
        const url = reached?.url;
        if (url === undefined) {
          throw new ActionError(
            "Only a server with an address is checked. Start the inspector with a URL, or set address of the source.",
          );
        }
        const { checkCors } = await import("./cors.lazy.ts");
        return checkCors(url, action.origin, observedFetch(fetch, feed));
      }
      case "watch": {
        const { live: running } = liveSession();
        if (running.watched.length >= limits.maxWatched) {
          throw new ActionError(`${running.watched.length} resources are watched; stop watching one first.`);
        }
        return running.watch(action.uri);
      }
      case "unwatch":
        return reached?.live.unwatch(action.uri);
      case "servers":
        return (await servers?.list()) ?? [];
      case "switch": {
        if (servers === undefined || reached === undefined) {
          throw new ActionError("This inspector shows one source. Start it with a server to choose others.");
        }
        switching = switching.then(() => switchTo(() => servers.open(action.to)));
        const switched = switching;
        switching = switched.catch(() => undefined);
        return switched;
      }
      case "login":
        return reached?.live.login();
      case "connect":
        return reached?.live.connect();
      case "disconnect":
        return reached?.live.disconnect();
      case "clear":
        log.clear();
        return changed();
      case "definitions":
        return readDefinitions(liveSession().session);
      case "save":
        saved = action.saved;
        changed();
        return store.save(saved);
    }
  }

  const idle: SourceState = { kind: source.kind, label: source.label, phase: "watching" };
  return {
    log,
    get address() {
      return reached?.address;
    },
    get state() {
      const { live, url, headers } = reached ?? {};
      return {
        source: { ...(live?.state ?? idle), ...(url === undefined ? {} : { url: withoutSecrets(url) }) },
        inputRequests: inputRequests.waiting,
        calls: calls.states,
        watched: live?.watched ?? [],
        roots: live?.roots ?? [],
        headers: headers?.all ?? {},
        canSwitch: servers !== undefined && reached !== undefined,
        always: inputRequests.always,
        saved,
        dropped: log.dropped,
        ...(sandbox === undefined ? {} : { sandbox }),
      };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    act,
    add: (fact) => log.add({ ...fact, at: now() }),
    observe: (transport, which) => observedTransport(transport, which, feed),
    fetch: (inner) => observedFetch(inner, feed),
    write(line) {
      const parsed = parseCassetteLine(line, problem);
      if (parsed === undefined) {
        return;
      }
      if ("tenon" in parsed) {
        side = parsed.side;
        return;
      }
      for (const fact of factsOfEntry(parsed, side)) {
        log.add(fact);
      }
    },
    async close() {
      inputRequests.close();
      calls.close();
      await switching;
      await reached?.live.close();
    },
  };
}

/** An address without the parts that often are credentials. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
