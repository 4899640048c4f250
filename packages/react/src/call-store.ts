import { LocalError } from "@tenon/jsonrpc2/core";
import type { ClientSession, RequestOptions } from "@tenon/mcp/client";
import type { CallToolResult, ProgressNotificationParams } from "@tenon/protocol";

import { createStore, type ExternalStore } from "./external-store.ts";

/** Options of one call. */
export type ToolCallOptions = Omit<RequestOptions, "signal" | "onProgress" | "onId">;

/** The calls of one tool by one component. Each change is a new object. */
export interface ToolCalls {
  /**
   * `idle`: there was no call, or it was cancelled. `done`: there is a result, whose `isError` may
   * be true. `failed`: there is none.
   */
  readonly status: "idle" | "running" | "done" | "failed";
  /** The last result, including while the next call is running and in the next connection. */
  readonly result: CallToolResult | undefined;
  /** The reason why the status is `failed`, for example that the connection has ended. */
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

/**
 * Creates the store of the calls of a tool. A running call is cancelled at the end.
 *
 * @param current - Returns the session of the next call.
 */
export function createCallStore(
  current: () => ClientSession | undefined,
  name: string,
): ExternalStore<ToolCalls> {
  /** Ends the call whose result is shown. */
  let running: AbortController | undefined;
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
      running.abort();
      running = undefined;
      show({ status: "idle" });
    }
  }

  async function call(
    args?: Readonly<Record<string, unknown>>,
    options?: ToolCallOptions,
  ): Promise<CallToolResult | undefined> {
    running?.abort();
    if (isUnmounted) {
      return undefined;
    }
    const own = new AbortController();
    const { signal } = own;
    running = own;
    show({ status: "running", error: undefined });
    const end = (change: Partial<ToolCalls>): void => {
      if (running === own) {
        running = undefined;
        show(change);
      }
    };
    try {
      const session = current();
      if (session === undefined) {
        throw new LocalError("INVALID_STATE", `Cannot call ${name}: the server is not connected.`);
      }
      const result = await session.callTool(
        { name, arguments: args },
        {
          ...options,
          signal,
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
