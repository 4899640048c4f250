import { sleep } from "@tenon/jsonrpc2/transport";
import type { Subscription } from "@tenon/mcp";
import type { SubscriptionFilter } from "@tenon/protocol";

import { isFinal } from "../store/record.ts";
import { onChange } from "./notices.ts";
import { boundedPollMs, type RemoteTask } from "./task.ts";
import type { TaskWire, WireOptions } from "./wire.ts";

/**
 * Yields a task now and after each change, and ends with its final state. A notification of the
 * server makes the next poll come at once.
 */
export async function* watchTask(
  wire: TaskWire,
  id: string,
  { signal = new AbortController().signal, ...options }: WireOptions = {},
): AsyncGenerator<RemoteTask, void, undefined> {
  const { clock } = wire.host;
  let wake = new AbortController();
  const changed = (): void => wake.abort();
  const subscription = wire.isModern ? await listen(wire, id, changed) : undefined;
  const forget = wire.isModern ? undefined : onChange(wire.session, id, changed);
  let seen = "";
  try {
    for (;;) {
      wake = new AbortController();
      const task = await wire.get(id, { ...options, signal });
      const state = JSON.stringify(task);
      if (state !== seen) {
        seen = state;
        yield task;
      }
      if (isFinal(task.status)) {
        return;
      }
      await sleep(boundedPollMs(task.pollIntervalMs), {
        signal: AbortSignal.any([wake.signal, signal]),
        clock,
      }).catch(() => undefined);
      signal.throwIfAborted();
    }
  } finally {
    forget?.();
    await subscription?.close();
  }
}

/** Listens to a task; `undefined` if the server does not support it. */
async function listen(
  { session, host }: TaskWire,
  id: string,
  onChange: () => void,
): Promise<Subscription | undefined> {
  try {
    return await session.listen({ taskIds: [id] } as SubscriptionFilter, { onChange });
  } catch (error) {
    host.onError(error);
    return undefined;
  }
}
