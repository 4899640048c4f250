import { backoff } from "@tenon/base";
import { ErrorCode, isRpcError } from "@tenon/jsonrpc2/core";
import type { ClientSession, Subscription } from "@tenon/mcp";
import type { SubscriptionFilter } from "@tenon/protocol";

import { taskChanged } from "../wire/messages.ts";
import { readDetailedTask, type RemoteTask } from "./task.ts";
import type { TaskWire } from "./wire.ts";

/** Maximum number of tasks in the listen of a session. Further tasks are polled. */
const maxListened = 1000;

/** How many tasks that are no longer followed a listen may always contain. */
const maxUnused = 16;

/** Time in which started tasks are collected for the first listen, in milliseconds. */
const collectMs = 200;

/** Minimum time from one listen to the next with other tasks, in milliseconds. */
const restartMs = 1000;

/** Delays after a listen that failed or was lost. */
const retries = { initialDelayMs: 1000, maxDelayMs: 60_000 };

/** How long a listen must last to count as a success, in milliseconds. */
const steadyMs = 60_000;

/** Someone who follows a task. */
export interface StateListener {
  /** The server sent a state. */
  sent(task: RemoteTask): void;
  /** A state may have been missed: read the task. */
  missed(): void;
}

/** A task that someone follows. */
export interface ListenedTask {
  /** Whether the server sends the states of the task at the moment. */
  isHeard(): boolean;
  /** Stops listening. */
  end(): void;
}

/** A running `subscriptions/listen`. */
interface Stream {
  readonly asked: ReadonlySet<string>;
  /** The tasks whose states the server sends. */
  readonly heard: ReadonlySet<string>;
  readonly since: number;
  close(): void;
}

const all = new WeakMap<ClientSession, SessionListen>();

/**
 * Listens to a task of 2026-07-28, together with all others that the session follows. If the server
 * does not support it, the listener is not called.
 *
 * @source R-705
 */
export function listenTo(wire: TaskWire, id: string, listener: StateListener): ListenedTask {
  const listen = all.get(wire.session) ?? new SessionListen(wire);
  all.set(wire.session, listen);
  return listen.add(id, listener);
}

/** The one listen of a session for all tasks that it follows. */
class SessionListen {
  readonly #wire: TaskWire;
  /** The tasks that someone follows, in the order in which they came. */
  readonly #wanted = new Map<string, Set<StateListener>>();
  #stream: Stream | undefined;
  #opening: AbortController | undefined;
  #timer: unknown;
  /** How many tasks the server accepts. */
  #limit = maxListened;
  /** How many listens in a row have failed or were lost. */
  #failures = 0;

  constructor(wire: TaskWire) {
    this.#wire = wire;
  }

  add(id: string, listener: StateListener): ListenedTask {
    const listeners = this.#wanted.get(id) ?? new Set();
    this.#wanted.set(id, listeners.add(listener));
    this.#plan();
    return {
      isHeard: () => this.#stream?.heard.has(id) === true,
      end: () => {
        if (listeners.delete(listener) && listeners.size === 0) {
          this.#wanted.delete(id);
          this.#plan();
        }
      },
    };
  }

  /** Plans the next listen if the followed tasks differ from the tasks of the running listen. */
  #plan(): void {
    const { host, session } = this.#wire;
    if (this.#wanted.size === 0 || session.isClosed) {
      host.clock.clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#opening?.abort();
      const stream = this.#stream;
      this.#stream = undefined;
      stream?.close();
    } else if (this.#timer === undefined && this.#opening === undefined && this.#isDue()) {
      const open = (): void => {
        this.#timer = undefined;
        void this.#open();
      };
      this.#timer = host.clock.setTimeout(open, this.#delayMs(), false);
    }
  }

  #isDue(): boolean {
    const asked = this.#stream?.asked;
    return (
      this.#next().some((id) => asked?.has(id) !== true) ||
      (asked !== undefined && asked.size > Math.max(maxUnused, 2 * this.#wanted.size))
    );
  }

  #next(): readonly string[] {
    return [...this.#wanted.keys()].slice(0, this.#limit);
  }

  #delayMs(): number {
    if (this.#failures > 0) {
      return backoff(this.#failures - 1, retries);
    }
    return this.#stream === undefined ? collectMs : restartMs;
  }

  /** Opens a listen, and ends the earlier listen afterwards, so that no state is missed. */
  async #open(): Promise<void> {
    const { session } = this.#wire;
    const asked = new Set(this.#next());
    const opening = new AbortController();
    this.#opening = opening;
    try {
      const subscription = await session.listen({ taskIds: [...asked] } as SubscriptionFilter, {
        signal: opening.signal,
        onChange: ({ method, params }) => {
          if (method === taskChanged.method) {
            this.#receive(params);
          }
        },
      });
      if (!opening.signal.aborted) {
        this.#opened(subscription, asked, () => opening.abort());
      }
    } catch (error) {
      if (!opening.signal.aborted) {
        this.#refused(error, asked.size);
      }
    }
    this.#opening = undefined;
    this.#plan();
  }

  #opened({ honoured, closed }: Subscription, asked: ReadonlySet<string>, close: () => void): void {
    const { taskIds } = honoured as { readonly taskIds?: unknown };
    if (!Array.isArray(taskIds)) {
      // The server does not support it, and would send nothing.
      this.#limit = 0;
      close();
      return;
    }
    const heard = new Set((taskIds as readonly string[]).filter((id) => asked.has(id)));
    const before = this.#stream;
    const stream: Stream = { asked, heard, since: this.#wire.host.clock.now(), close };
    this.#stream = stream;
    before?.close();
    void closed.then(() => this.#lost(stream));
    const news = new Set([...heard, ...(before?.heard ?? [])]);
    this.#tellMissed([...news].filter((id) => before?.heard.has(id) !== true || !heard.has(id)));
  }

  #lost(stream: Stream): void {
    if (this.#stream !== stream) {
      return;
    }
    this.#stream = undefined;
    const isSteady = this.#wire.host.clock.now() - stream.since >= steadyMs;
    this.#failures = isSteady ? 1 : this.#failures + 1;
    this.#tellMissed(stream.heard);
    this.#plan();
  }

  /** The server did not open a listen: its error decides whether there is another attempt. */
  #refused(error: unknown, count: number): void {
    if (!isRpcError(error) || error.code === ErrorCode.InternalError) {
      this.#failures++;
    } else if (error.code === ErrorCode.InvalidParams && count > 1) {
      this.#limit = Math.max(this.#stream?.asked.size ?? 0, Math.floor(count / 2));
    } else {
      this.#limit = 0;
      if (error.code !== ErrorCode.MethodNotFound) {
        this.#wire.host.onError(error);
      }
    }
  }

  #receive(params: Readonly<Record<string, unknown>>): void {
    this.#failures = 0;
    try {
      const task = readDetailedTask(params);
      this.#wanted.get(task.id)?.forEach((listener) => listener.sent(task));
    } catch (error) {
      this.#wire.host.onError(error);
      this.#tellMissed([String(params["taskId"])]);
    }
  }

  #tellMissed(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#wanted.get(id)?.forEach((listener) => listener.missed());
    }
  }
}
