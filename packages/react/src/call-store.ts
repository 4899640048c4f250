import { LocalError } from "@tenon/jsonrpc2/core";
import type { ClientSession, RequestOptions } from "@tenon/mcp/client";
import type { CallToolResult, ProgressNotificationParams, RequestId } from "@tenon/protocol";

import { createStore, type ExternalStore } from "./external-store.ts";
import type { ServerInput } from "./inputs.ts";

/** Options of one call. */
export type ToolCallOptions = Omit<RequestOptions, "signal" | "onProgress" | "onId">;

/** The calls of one tool by one component. Each change is a new object. */
export interface ToolCalls {
  /**
   * `idle`: there was no call, or it was cancelled. `done`: there is a result, whose `isError` may
   * be true. `failed`: there is none.
   */
  readonly status: "idle" | "running" | "done" | "failed";
  /** The last result, including while the next call is running. */
  readonly result: CallToolResult | undefined;
  /** The reason why the status is `failed`. */
  readonly error: unknown;
  /** The last progress of the running call. */
  readonly progress: Omit<ProgressNotificationParams, "progressToken"> | undefined;
  /**
   * Calls the tool. A call that is still running is cancelled. Never rejects: `undefined` means
   * that the call failed or was cancelled.
   */
  readonly call: (
    args?: Readonly<Record<string, unknown>>,
    options?: ToolCallOptions,
  ) => Promise<CallToolResult | undefined>;
  /** Cancels the running call. */
  readonly cancel: () => void;
}

/** A call whose result is shown. */
interface Running {
  readonly ending: AbortController;
  /** The ID of its request. */
  id?: RequestId;
}

/**
 * Creates the store of the calls of a tool. A running call is cancelled at the end.
 *
 * @param inputs - The input requests that wait.
 */
export function createCallStore(
  session: ClientSession | undefined,
  name: string,
  inputs: () => readonly ServerInput[],
): ExternalStore<ToolCalls> {
  let running: Running | undefined;
  let isUnmounted = false;
  const store = createStore<ToolCalls>(
    {
      status: "idle",
      result: undefined,
      error: undefined,
      progress: undefined,
      call,
      cancel,
    },
    () => {
      isUnmounted = false;
      return () => {
        isUnmounted = true;
        cancel();
      };
    },
  );

  function show(change: Partial<ToolCalls>): void {
    store.set({ ...store.snapshot(), progress: undefined, ...change });
  }

  function cancel(): void {
    if (running !== undefined) {
      stop(running);
      running = undefined;
      show({ status: "idle" });
    }
  }

  /** On the stream of a cancelled call, a legacy server cannot cancel its input requests. */
  function stop({ ending, id }: Running): void {
    ending.abort();
    for (const input of id === undefined ? [] : inputs()) {
      if (input.relatedTo === id) {
        input.cancel();
      }
    }
  }

  async function call(
    args?: Readonly<Record<string, unknown>>,
    options?: ToolCallOptions,
  ): Promise<CallToolResult | undefined> {
    if (running !== undefined) {
      stop(running);
    }
    if (isUnmounted) {
      return undefined;
    }
    const own: Running = { ending: new AbortController() };
    const { signal } = own.ending;
    running = own;
    show({ status: "running", error: undefined });
    const end = (change: Partial<ToolCalls>): void => {
      if (running === own) {
        running = undefined;
        show(change);
      }
    };
    try {
      if (session === undefined) {
        throw new LocalError("INVALID_STATE", `Cannot call ${name}: the server is not connected.`);
      }
      const result = await session.callTool(
        { name, arguments: args },
        {
          ...options,
          signal,
          onId: (id) => (own.id = id),
          onProgress: (progress) => running === own && show({ progress }),
        },
      );
      end({ status: "done", result });
      return signal.aborted ? undefined : result;
    } catch (error) {
      end({ status: "failed", error });
      return undefined;
    }
  }

  return store;
}
