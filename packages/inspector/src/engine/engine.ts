import { reasonOf } from "@tenon/base";
import type { Connection, Transport } from "@tenon/jsonrpc2";

import type { ChatModel } from "../chat/model.ts";
import type { Action, SavedCall } from "../wire/action.ts";
import type { InspectorState, ServerState } from "../wire/state.ts";
import { actAt } from "./act-at.ts";
import { ActionError } from "./action-error.ts";
import { parseCassetteLine } from "./cassette-line.ts";
import type { NoteFact } from "./fact.ts";
import { factsOfEntry, observedFetch, observedTransport, type FeedOwner } from "./feed.ts";
import type { ResolvedInspectorLimits } from "./limits.ts";
import { createLog, type Log, type LogLine } from "./log.ts";
import { createOpenServers } from "./open-servers.ts";
import type { OpenedServer } from "./opened.ts";
import type { SavedCalls } from "./saved.ts";
import type { InspectorServers, InspectorSource, ServerAddress } from "./source.ts";

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
  const open = createOpenServers({
    limits,
    log,
    servers,
    model,
    now,
    nextConnection: () => connections++,
    onChange: changed,
  });

  if (source.kind === "live") {
    open.add(source);
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
    const found = open.get(id);
    if (found !== undefined) {
      return found;
    }
    throw new ActionError(
      open.all.length > 0
        ? "The server was removed."
        : `A ${source.kind === "tap" ? "tap only listens" : "recording only shows what was said"}: start the inspector with a server to send requests.`,
    );
  }

  async function act(action: Action, id?: string): Promise<unknown> {
    switch (action.do) {
      case "servers":
        return (await servers?.list()) ?? [];
      case "open":
        return open.open(action.to);
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
      return await actAt(server, action, {
        maxWatched: limits.maxWatched,
        requireFree: open.requireFree,
        remove: open.remove,
        changed,
      });
    } catch (error) {
      server.live.note(error);
      throw error;
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
      const server = open.get(id === "" ? undefined : id);
      if (server === undefined) {
        return open.all.length === 0
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
      const { all } = open;
      return {
        servers: all.length === 0 ? [idle] : all.map(({ state }) => state),
        canOpen: servers !== undefined && all.length > 0,
        saved,
        dropped: log.dropped,
        ...(model === undefined || all.length === 0 ? {} : { model: model.name }),
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
    close: () => open.close(),
  };
}
