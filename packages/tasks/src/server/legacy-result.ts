import { anySignal } from "@tenon/base";
import type { ExtensionRequest } from "@tenon/mcp";

import type { TaskWatch } from "../engine/contract.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { relatedTo } from "../legacy/forms.ts";
import { outcomeOf, unknownTask } from "../legacy/requests.ts";
import { isFinal } from "../store/record.ts";
import type { TaskServer } from "./call.ts";

/**
 * The input requests that are in flight, by engine: no two of them are for the same key of a task.
 */
const pending = new WeakMap<object, Set<string>>();

/**
 * Waits until a task has ended, and returns the result of its request. The input
 * requests of the task are sent on the stream of this request.
 *
 * @throws `RpcError`: the error of the task; `-32602` for a task that expired before its end.
 * @source
 */
export async function resultOf(
  first: TaskSnapshot,
  request: ExtensionRequest,
  shared: TaskServer,
): Promise<object> {
  const { engine, ownerOf } = shared;
  const owner = ownerOf(request);
  let task: TaskSnapshot | undefined = first;
  if (!isFinal(first.state)) {
    const ended = new AbortController();
    const signal = anySignal([request.signal, ended.signal]);
    let fail: (error: unknown) => void = () => undefined;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    failed.catch(() => undefined);
    const ask = (now: TaskSnapshot): void => {
      askAll(now, request, shared).catch(fail);
    };
    const resume = request.park(() => {
      ended.abort();
    });
    let watch: TaskWatch | undefined;
    try {
      watch = await engine.watch([first.id], owner, ask);
      const now = await engine.get(first.id, owner);
      if (now !== undefined && watch.ids.length > 0) {
        ask(now);
      }
      task = await Promise.race([engine.result(first.id, owner, { signal }), failed]);
    } finally {
      ended.abort();
      resume();
      await watch?.close();
    }
  }
  if (task === undefined) {
    throw unknownTask(first.id);
  }
  return outcomeOf(task);
}

/** Sends the input requests of a task that are not in flight yet. */
async function askAll(task: TaskSnapshot, request: ExtensionRequest, shared: TaskServer): Promise<void> {
  const { engine, ownerOf } = shared;
  const asked = pending.get(engine) ?? new Set<string>();
  pending.set(engine, asked);
  await Promise.all(
    Object.entries(task.questions).map(async ([key, question]) => {
      const name = `${task.id} ${key}`;
      if (asked.has(name)) {
        return;
      }
      asked.add(name);
      try {
        const { method, params } = question as { readonly method: string; readonly params: object };
        const answer = await request.call(method, { ...params, _meta: relatedTo(task.id) });
        await engine.update(task.id, ownerOf(request), { [key]: answer });
      } finally {
        asked.delete(name);
      }
    }),
  );
}
