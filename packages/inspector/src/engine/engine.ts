import { reasonOf } from "@tenon/base";
import type { Connection, Transport } from "@tenon/jsonrpc2";

import type { ChatModel } from "../chat/model.ts";
import type { Action, OpenedServer as OpenedAnswer, SavedCall } from "../wire/action.ts";
import type { InspectorState, ServerState } from "../wire/state.ts";
import { parseCassetteLine } from "./cassette-line.ts";
import { readDefinitions } from "./definitions.ts";
import type { NoteFact } from "./fact.ts";
import { factsOfEntry, observedFetch, observedTransport, type FeedOwner } from "./feed.ts";
import type { ResolvedInspectorLimits } from "./limits.ts";
import type { Live } from "./live.ts";
import { createLog, type Log, type LogLine } from "./log.ts";
import { createOpened, type OpenedServer } from "./opened.ts";
import type { SavedCalls } from "./saved.ts";
import type { InspectorServers, InspectorSource, LiveSource, ServerAddress } from "./source.ts";

/** An action that cannot be done, with a sentence for the person. */
export class ActionError extends Error {
  override readonly name = "ActionError";
}

/** The lines of one server, and how it is reached. */
export interface ExportedServer {
  readonly label: string;
  /** The address at which other programs reach the server. */
  readonly address: ServerAddress | undefined;
  readonly lines: readonly LogLine[];
}

/** Runs the sessions, keeps the lines, and does what the page asks for. */
export interface Engine {
  readonly log: Log;
  readonly state: InspectorState;
  /** The lines of a server for an export. Default: the first. `undefined` for an unknown server. */
  exported(server?: string): ExportedServer | undefined;
  /** Calls `listener` after every change, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /**
   * @param server - The server that the action is for. Default: the first.
   * @throws `ActionError` for an action that cannot be done.
   */
  act(action: Action, server?: string): Promise<unknown>;
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
  readonly model?: ChatModel | undefined;
}

/** Creates the engine and starts its source. */
export function createEngine(parts: EngineParts): Engine {
  const { source, limits, store, sandbox, servers, model } = parts;
  const start = performance.now();
  const now = (): number => Math.round((performance.now() - start) * 1000) / 1000;
  const listeners = new Set<() => void>();
  const changed = (): void => listeners.forEach((listener) => listener());
  const log = createLog(limits, changed);
  let connections = 0;
  let saved: readonly SavedCall[] = [];
  let side: "client" | "server" = "client";
  let sessions = 0;
  let questions = 0;
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
  const feed: FeedOwner = {
    now,
    lastConnection,
    nextConnection: () => connections++,
    connectionOf(request) {
      const [only, ...others] = log.requestsOf().connectionsOf(request);
      return others.length === 0 ? only : undefined;
    },
    isOpen: (connection, request) => log.requestsOf().requestOf(connection, request) !== undefined,
    add: log.add,
  };
  /** The servers that are open, by their IDs. */
  const opened = new Map<string, OpenedServer>();
  /** The servers by the choices of the person. */
  const chosen = new Map<string, OpenedServer>();
  let ids = 0;
  let isClosed = false;

  function add(server: LiveSource, reopen?: () => Promise<LiveSource>): OpenedServer {
    const id = `s${++ids}`;
    const made = createOpened(id, server, {
      limits,
      log,
      now,
      nextConnection: () => connections++,
      nextSession: () => ++sessions,
      nextQuestion: () => `q${++questions}`,
      // No server can occupy the share of another.
      mostInputRequests: () => Math.ceil(limits.maxInputRequests / opened.size),
      reopen,
      model,
      onChange: changed,
    });
    opened.set(id, made);
    made.live.connect();
    return made;
  }

  function requireRoom(): void {
    if (opened.size >= limits.maxServers) {
      throw new ActionError(`${opened.size} servers are open. Remove one of them first.`);
    }
  }

  /** Opens a server that the person has chosen, unless it is open. */
  async function open(to: { readonly id: string } | { readonly url: string }): Promise<OpenedAnswer> {
    if (servers === undefined || opened.size === 0) {
      throw new ActionError("This inspector shows one source. Start it with a server to choose others.");
    }
    const key = JSON.stringify(to);
    const before = chosen.get(key);
    if (before !== undefined) {
      return { server: before.id };
    }
    requireRoom();
    const read = (): Promise<LiveSource> => servers.open(to);
    const server = await read();
    if (isClosed) {
      throw new ActionError("The inspector was closed.");
    }
    // Other pages may have opened it, or other servers, during the wait.
    const known = chosen.get(key);
    if (known === undefined) {
      requireRoom();
    }
    const made = known ?? add(server, read);
    chosen.set(key, made);
    changed();
    return { server: made.id };
  }

  async function remove(server: OpenedServer): Promise<void> {
    if (opened.size === 1) {
      throw new ActionError("Expected a second server; disconnect this server instead.");
    }
    opened.delete(server.id);
    for (const [key, made] of chosen) {
      if (made === server) {
        chosen.delete(key);
      }
    }
    changed();
    await server.close();
    log.forget(server.id);
  }

  if (source.kind === "live") {
    add(source);
  }
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

  /** The server of an action, by default the first. */
  function serverOf(id: string | undefined): OpenedServer {
    const [first] = opened.values();
    const found = id === undefined ? first : opened.get(id);
    if (found !== undefined) {
      return found;
    }
    throw new ActionError(
      first === undefined
        ? `A ${source.kind === "tap" ? "tap only listens" : "recording only shows what was said"}: start the inspector with a server to send requests.`
        : "The server was removed.",
    );
  }

  function sessionOf({ live }: OpenedServer): NonNullable<Live["session"]> {
    if (live.session === undefined) {
      throw new ActionError("Connect to the server first.");
    }
    return live.session;
  }

  function requireFree(): void {
    const running = [...opened.values()].reduce((sum, { calls }) => sum + calls.running, 0);
    if (running >= limits.maxInFlight) {
      throw new ActionError(`${running} calls run; wait for one of them or cancel it.`);
    }
  }

  async function act(action: Action, id?: string): Promise<unknown> {
    switch (action.do) {
      case "servers":
        return (await servers?.list()) ?? [];
      case "open":
        return open(action.to);
      case "clear":
        log.clear();
        return changed();
      case "save":
        saved = action.saved;
        changed();
        return store.save(saved);
      default:
        return noted(serverOf(id), action);
    }
  }

  /** Acts at a server, and offers a login if the server refuses the person. */
  async function noted(server: OpenedServer, action: Action): Promise<unknown> {
    try {
      return await actAt(server, action);
    } catch (error) {
      server.live.note(error);
      throw error;
    }
  }

  async function actAt(server: OpenedServer, action: Action): Promise<unknown> {
    const { live, calls, inputRequests } = server;
    switch (action.do) {
      case "call": {
        const session = sessionOf(server);
        requireFree();
        // Its end is seen in the state.
        calls.start(session, action).catch(() => {});
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
        sessionOf(server);
        return live.setRoots(action.roots);
      case "headers":
        server.headers.set(action.headers);
        return changed();
      case "request": {
        const session = sessionOf(server);
        requireFree();
        return calls.request(session, action);
      }
      case "view":
        return (await import("./extensions.lazy.ts")).readView(sessionOf(server), action.uri);
      case "skills":
        return (await import("./extensions.lazy.ts")).listSkills(sessionOf(server));
      case "skill":
        return (await import("./extensions.lazy.ts")).readSkillFile(
          sessionOf(server),
          action.uri,
          action.path,
        );
      case "cors": {
        if (server.url === undefined) {
          throw new ActionError(
            "Only a server with an address is checked. Start the inspector with a URL, or set address of the source.",
          );
        }
        const { checkCors } = await import("./cors.lazy.ts");
        return checkCors(server.url, action.origin, server.fetch);
      }
      case "watch":
        sessionOf(server);
        if (live.watched.length >= limits.maxWatched) {
          throw new ActionError(`${live.watched.length} resources are watched; stop watching one first.`);
        }
        return live.watch(action.uri);
      case "unwatch":
        return live.unwatch(action.uri);
      case "remove":
        return remove(server);
      case "login":
        return live.login();
      case "logout":
        return live.logout();
      case "connect":
        return server.connect();
      case "disconnect":
        return live.disconnect();
      case "definitions":
        return readDefinitions(sessionOf(server));
      case "say":
        sessionOf(server);
        return (await server.chat()).say(action.text);
      case "approve":
        if (!(await server.chat()).approve(action.call, action.approval)) {
          throw new ActionError("This call no longer waits: another page decided, or the model was stopped.");
        }
        return undefined;
      case "stop":
        return (await server.chat()).stop();
      case "forget":
        return (await server.chat()).forget();
      default:
        return undefined;
    }
  }

  /** The state of a tap and of a recording, which have no session. */
  const idle: ServerState = {
    id: "",
    source: { kind: source.kind, label: source.label, phase: "watching" },
    inputRequests: [],
    calls: [],
    watched: [],
    roots: [],
    headers: {},
    always: {},
  };
  return {
    log,
    exported(id) {
      const [first] = opened.values();
      const server = id === undefined || id === "" ? first : opened.get(id);
      if (server === undefined) {
        return opened.size === 0
          ? { label: source.label, address: undefined, lines: log.lines() }
          : undefined;
      }
      // Lines without a server are of transports that others have wrapped.
      const lines = log
        .lines()
        .filter(({ summary }) => summary.server === undefined || summary.server === server.id);
      return { label: server.state.source.label, address: server.address, lines };
    },
    get state() {
      return {
        servers: opened.size === 0 ? [idle] : Array.from(opened.values(), ({ state }) => state),
        canOpen: servers !== undefined && opened.size > 0,
        saved,
        dropped: log.dropped,
        ...(model === undefined || opened.size === 0 ? {} : { model: model.name }),
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
      isClosed = true;
      await Promise.all(Array.from(opened.values(), (server) => server.close()));
    },
  };
}
