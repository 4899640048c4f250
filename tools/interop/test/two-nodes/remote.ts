import { StoreError, type StoreErrorCode } from "@tenon/stores";

import type { Stores } from "./node.ts";

/** A call of a method of a store, from a process to the one that has the stores. */
export interface StoreCall {
  readonly call: number;
  readonly part: keyof Stores;
  readonly method: string;
  /** Functions and objects of functions are numbers of listeners: see {@link heard}. */
  readonly args: readonly unknown[];
}

/** What a process gets from the one that has the stores. */
export type StoreNews =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: { readonly code?: string; readonly message: string } }
  /** A listener of a call was called. */
  | { readonly call: number; readonly name: string; readonly heard: readonly unknown[] };

/** Runs a call at the stores. @param send - Sends to the process that made the call. */
export async function performCall(
  stores: Stores,
  { call, part, method, args }: StoreCall,
  send: (news: StoreNews) => void,
): Promise<void> {
  const hear =
    (name: string) =>
    (...heard: unknown[]): void =>
      send({ call, name, heard });
  const given = args.map((each) =>
    isListener(each)
      ? each.listener.length === 0
        ? hear("")
        : Object.fromEntries(each.listener.map((name) => [name, hear(name)]))
      : each,
  );
  try {
    const store = stores[part] as object;
    const value: unknown = Reflect.apply(Reflect.get(store, method) as () => unknown, store, given);
    // What ends a subscription or a lock stays here: a process that has been killed ends nothing.
    const isWatch = given.some((each, index) => each !== args[index]);
    const result = method === "readAfter" ? await collected(value) : await (value as Promise<unknown>);
    send({ call, result: isWatch ? undefined : result });
  } catch (error) {
    const { code, message } = error as StoreError;
    send({ call, error: { code, message } });
  }
}

/** The stores of another process. @param send - Sends to it. */
export function remoteStores(send: (call: StoreCall) => void): {
  readonly stores: Stores;
  readonly receive: (news: StoreNews) => void;
} {
  let calls = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  const listeners = new Map<number, unknown>();
  const ask = (part: keyof Stores, method: string, args: readonly unknown[]): Promise<unknown> => {
    const call = ++calls;
    const given = args.map((each) => {
      if (typeof each === "function") {
        listeners.set(call, each);
        return { listener: [] };
      }
      if (method === "subscribe" && typeof each === "object") {
        listeners.set(call, each);
        return { listener: ["message", "gap"] };
      }
      // Signals cannot be sent.
      return typeof each === "object" && each !== null && "signal" in each
        ? { ...each, signal: undefined }
        : each;
    });
    return new Promise((resolve, reject) => {
      waiting.set(call, { resolve, reject });
      send({ call, part, method, args: given });
    });
  };
  const remote = (part: keyof Stores): object =>
    new Proxy(
      {},
      {
        get(_, method) {
          if (typeof method === "symbol" || method === "then" || method === "lock") {
            return undefined;
          }
          if (method === "readAfter") {
            return async function* (...args: unknown[]): AsyncGenerator {
              yield* (await ask(part, method, args)) as unknown[];
            };
          }
          return async (...args: unknown[]) => {
            if (method === "close") {
              return undefined;
            }
            const result = await ask(part, method, args);
            return method === "subscribe" || method === "watch"
              ? { [Symbol.asyncDispose]: () => Promise.resolve() }
              : result;
          };
        },
      },
    );
  const parts = ["sessions", "bus", "events", "leases", "tasks", "auth"] as const;
  return {
    stores: Object.fromEntries(parts.map((part) => [part, remote(part)])) as unknown as Stores,
    receive(news) {
      if ("heard" in news) {
        const listener = listeners.get(news.call) as Record<string, (...heard: unknown[]) => void>;
        const hear = news.name === "" ? (listener as unknown as () => void) : listener[news.name];
        Reflect.apply(hear as () => void, listener, news.heard);
        return;
      }
      const waiter = waiting.get(news.call);
      waiting.delete(news.call);
      if ("error" in news) {
        const { code, message } = news.error;
        waiter?.reject(
          code === undefined ? new Error(message) : new StoreError(code as StoreErrorCode, message),
        );
      } else {
        waiter?.resolve(news.result);
      }
    },
  };
}

function isListener(value: unknown): value is { readonly listener: readonly string[] } {
  return typeof value === "object" && value !== null && "listener" in value;
}

async function collected(values: unknown): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of values as AsyncIterable<unknown>) {
    all.push(value);
  }
  return all;
}
