import { anySignal } from "@tenon/base";
import type { ExtensionRequest } from "@tenon/mcp";

import type { TaskWatch } from "../engine/contract.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { relatedTo } from "../legacy/forms.ts";
import { outcomeOf, unknownTask } from "../legacy/requests.ts";
import { isFinal } from "../store/record.ts";
import type { TaskServer } from "./call.ts";

/**
 * The input requests that are in flight, by engine, with whether the client responds: no two of
 * them are for the same key of a task.
 */
const pending = new WeakMap<object, Map<string, Promise<boolean>>>();

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
    const keys = new Set<string>();
    const ask = (now: TaskSnapshot): void => {
      askAll(now, { request, shared, keys, signal }).catch(fail);
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

/** A request for a result, which sends the input requests of its task. */
interface Asking {
  readonly request: ExtensionRequest;
  readonly shared: TaskServer;
  /** The keys of the input requests that it sends, or waits for. */
  readonly keys: Set<string>;
  /** Aborts when it has ended. */
  readonly signal: AbortSignal;
}

/**
 * Sends the input requests of a task that are not in flight yet. If one that is in flight fails, it
 * is sent again: the connection of the other request may have been lost.
 */
async function askAll(task: TaskSnapshot, { request, shared, keys, signal }: Asking): Promise<void> {
  const { engine, ownerOf } = shared;
  const inFlight = pending.get(engine) ?? new Map<string, Promise<boolean>>();
  pending.set(engine, inFlight);

  async function ask(key: string, question: unknown): Promise<void> {
    const { method, params } = question as { readonly method: string; readonly params: object };
    const answer = await request.call(method, { ...params, _meta: relatedTo(task.id) });
    await engine.update(task.id, ownerOf(request), { [key]: answer });
  }

  async function askInTurn(key: string, question: unknown): Promise<void> {
    const name = `${task.id} ${key}`;
    for (let other = inFlight.get(name); other !== undefined; other = inFlight.get(name)) {
      if ((await other) || signal.aborted) {
        return;
      }
    }
    const asking = ask(key, question);
    const end = (isAnswered: boolean): boolean => {
      inFlight.delete(name);
      return isAnswered;
    };
    inFlight.set(
      name,
      asking.then(
        () => end(true),
        () => end(false),
      ),
    );
    await asking;
  }

  await Promise.all(
    Object.entries(task.questions).map(async ([key, question]) => {
      if (!keys.has(key)) {
        keys.add(key);
        await askInTurn(key, question).finally(() => keys.delete(key));
      }
    }),
  );
}
