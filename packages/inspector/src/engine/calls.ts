import type { ClientSession, RequestOptions } from "@tenon/mcp/client";

import type { Action } from "../wire/action.ts";
import type { CallState } from "../wire/state.ts";
import type { InputOwner } from "./input-requests.ts";
import { relatedTask } from "./marks.ts";
import { reasonFor, requiredScopes } from "./refusal.ts";

/** How many calls that have ended are remembered. */
const maxEnded = 50;

/** A call as the page asks for it. */
export type CallAction = Extract<Action, { readonly do: "call" }>;

/** The calls that the page has started. */
export interface Calls {
  readonly states: readonly CallState[];
  readonly running: number;
  /** Makes a call, and resolves with its result. Its end is also seen in {@link states}. */
  start(session: ClientSession, action: CallAction): Promise<unknown>;
  /**
   * The call and the task to which an input request belongs.
   *
   * @param params - The parameters of the input request.
   * @param id - The ID of the request for which the server asks, if it is known.
   */
  ownerOf(params: object, id: string | number | undefined): InputOwner;
  /** Returns false for a call that does not run. */
  cancel(call: string): boolean;
  /** Sends a request that the page has not started as a call, and returns its result. */
  request(session: ClientSession, action: Pick<CallAction, "method" | "params">): Promise<unknown>;
  close(): void;
}

/** The functions that a table of calls uses. */
export interface CallsOwner {
  readonly now: () => number;
  /** The line of an open request by its ID. */
  readonly requestOf: (id: string) => number | undefined;
  /** Called with the ID of a request before it is sent, and when the person has asked for it. */
  readonly onQueued: (id: string, at: number) => void;
  readonly onChange: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Creates a table without calls. */
export function createCalls({ now, requestOf, onQueued, onChange, onFailure }: CallsOwner): Calls {
  const states = new Map<string, CallState>();
  const running = new Map<string | symbol, AbortController>();
  /** The calls by the IDs of their requests, as JSON, until the calls end. */
  const byId = new Map<string, string>();
  /** The owners of the input requests of tasks, by the parameters of the input requests. */
  const ofTasks = new WeakMap<object, InputOwner>();

  function set(state: CallState): void {
    states.set(state.call, state);
    const ended = [...states.values()].filter(({ phase }) => phase !== "running");
    for (const { call } of ended.slice(0, Math.max(0, ended.length - maxEnded))) {
      states.delete(call);
    }
    onChange();
  }

  function noteTask(task: object, call: string): void {
    const { id, inputRequests } = task as { readonly id: string; readonly inputRequests: object };
    for (const { params } of Object.values(inputRequests) as { readonly params?: object }[]) {
      if (params !== undefined) {
        ofTasks.set(params, { call, task: id });
      }
    }
  }

  async function run(session: ClientSession, action: CallAction, signal: AbortSignal): Promise<unknown> {
    const { call, method } = action;
    const asked = now();
    let id: string | undefined;
    const base = (): Omit<CallState, "phase"> => {
      const before = states.get(call)?.request;
      const request = (id === undefined ? undefined : requestOf(id)) ?? before;
      return { call, method, ...(request === undefined ? {} : { request }) };
    };
    const options: RequestOptions = {
      signal,
      fresh: true,
      ...(action.timeoutMs === undefined ? {} : { timeoutMs: action.timeoutMs }),
      onProgress: () => {},
      // Input requests of the legacy era name their task. This option would make the client poll.
      ...("tasks" in session && session.era === "modern"
        ? { onTask: (task: object) => noteTask(task, call) }
        : {}),
      onId(given) {
        const isFirst = id === undefined;
        id = JSON.stringify(given);
        byId.set(id, call);
        if (isFirst) {
          onQueued(id, asked);
        }
        // The ID is known before the message is written.
        queueMicrotask(() => {
          if (running.has(call)) {
            set({ ...base(), phase: "running" });
          }
        });
      },
    };
    try {
      const result = await send(session, action, options);
      set({ ...base(), phase: "done" });
      return result;
    } catch (error) {
      onFailure(error);
      set({
        ...base(),
        ...(signal.aborted
          ? { phase: "cancelled" }
          : { phase: "failed", error: reasonFor(error), ...(requiredScopes(error) && { needsLogin: true }) }),
      });
      throw error;
    } finally {
      running.delete(call);
      for (const [key, owner] of byId) {
        if (owner === call) {
          byId.delete(key);
        }
      }
    }
  }

  return {
    get states() {
      return [...states.values()];
    },
    get running() {
      return running.size;
    },
    start(session, action) {
      const control = new AbortController();
      running.set(action.call, control);
      set({ call: action.call, method: action.method, phase: "running" });
      return run(session, action, control.signal);
    },
    ownerOf(params, id) {
      const call = id === undefined ? undefined : byId.get(JSON.stringify(id));
      const task = relatedTask(params);
      return (
        ofTasks.get(params) ?? {
          ...(call === undefined ? {} : { call }),
          ...(task === undefined ? {} : { task }),
        }
      );
    },
    cancel(call) {
      running.get(call)?.abort(new Error("The person cancelled the call."));
      return running.has(call);
    },
    async request(session, { method, params }) {
      const control = new AbortController();
      const key = Symbol(method);
      running.set(key, control);
      try {
        return await send(session, { method, params }, { signal: control.signal, fresh: true });
      } finally {
        running.delete(key);
      }
    },
    close() {
      for (const control of running.values()) {
        control.abort(new Error("The inspector was closed."));
      }
    },
  };
}

/** Sends a request by the method of the session for it, which validates more, if there is one. */
function send(
  session: ClientSession,
  { method, params }: Pick<CallAction, "method" | "params">,
  options: RequestOptions,
): Promise<unknown> {
  switch (method) {
    case "tools/call":
      return session.callTool(params as never, options);
    case "logging/setLevel":
      return session.setLogLevel(params["level"] as never, options);
    case "ping":
      return session.ping(params, options);
    default:
      return session.request(method as never, params as never, options);
  }
}
