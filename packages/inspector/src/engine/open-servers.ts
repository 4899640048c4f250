import type { ChatModel } from "../chat/model.ts";
import type { OpenedServer as OpenedAnswer } from "../wire/action.ts";
import { ActionError } from "./action-error.ts";
import type { ResolvedInspectorLimits } from "./limits.ts";
import type { Log } from "./log.ts";
import { createOpened, type OpenedServer } from "./opened.ts";
import type { InspectorServers, LiveSource } from "./source.ts";

/** The servers that are open, in the order in which they were opened. */
export interface OpenServers {
  readonly all: readonly OpenedServer[];
  /** A server by its ID. Default: the first. */
  get(id?: string): OpenedServer | undefined;
  /** Adds a server and connects to it. @param reopen - Reads it from the list again. */
  add(server: LiveSource, reopen?: () => Promise<LiveSource>): OpenedServer;
  /**
   * Opens a server that the person has chosen, unless it is open.
   *
   * @throws `ActionError` if there is no list or no room.
   */
  open(to: { readonly id: string } | { readonly url: string }): Promise<OpenedAnswer>;
  /** Closes a server, and removes it. @throws `ActionError` for the last one. */
  remove(server: OpenedServer): Promise<void>;
  /** @throws `ActionError` if as many calls of all servers run as may. */
  requireFree(): void;
  close(): Promise<void>;
}

/** The parts that {@link createOpenServers} needs. */
export interface OpenServersParts {
  readonly limits: ResolvedInspectorLimits;
  readonly log: Log;
  readonly servers: InspectorServers | undefined;
  readonly model: ChatModel | undefined;
  readonly now: () => number;
  readonly nextConnection: () => number;
  readonly onChange: () => void;
}

/** Creates an empty table of servers. */
export function createOpenServers(parts: OpenServersParts): OpenServers {
  const { limits, log, servers, model, now, nextConnection, onChange } = parts;
  const opened = new Map<string, OpenedServer>();
  /** The servers by the choices of the person. */
  const chosen = new Map<string, OpenedServer>();
  let ids = 0;
  let sessions = 0;
  let questions = 0;
  let isClosed = false;

  const waitingAt = ({ inputRequests }: OpenedServer): number => inputRequests.waiting.length;

  /** A server that was opened later takes its share from the server with the most. */
  function makeRoom(waiting: number): boolean {
    const all = [...opened.values()];
    if (all.reduce((sum, server) => sum + waitingAt(server), 0) < limits.maxInputRequests) {
      return true;
    }
    const [most] = all.toSorted((one, other) => waitingAt(other) - waitingAt(one));
    if (most === undefined || waitingAt(most) <= waiting + 1) {
      return false;
    }
    most.inputRequests.giveUp();
    return true;
  }

  function add(server: LiveSource, reopen?: () => Promise<LiveSource>): OpenedServer {
    const id = `s${++ids}`;
    const made = createOpened(id, server, {
      limits,
      log,
      now,
      nextConnection,
      nextSession: () => ++sessions,
      nextQuestion: () => `q${++questions}`,
      // No server can occupy the share of another.
      mostInputRequests: () => Math.ceil(limits.maxInputRequests / opened.size),
      makeRoom,
      reopen,
      model,
      onChange,
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

  return {
    get all() {
      return [...opened.values()];
    },
    get: (id) => (id === undefined ? opened.values().next().value : opened.get(id)),
    add,
    async open(to) {
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
      onChange();
      return { server: made.id };
    },
    async remove(server) {
      if (opened.size === 1) {
        throw new ActionError("Expected a second server; disconnect this server instead.");
      }
      opened.delete(server.id);
      for (const [key, made] of chosen) {
        if (made === server) {
          chosen.delete(key);
        }
      }
      onChange();
      await server.close();
      log.forget(server.id);
    },
    requireFree() {
      const running = [...opened.values()].reduce((sum, { calls }) => sum + calls.running, 0);
      if (running >= limits.maxInFlight) {
        throw new ActionError(`${running} calls run; wait for one of them or cancel it.`);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all(Array.from(opened.values(), (server) => server.close()));
    },
  };
}
