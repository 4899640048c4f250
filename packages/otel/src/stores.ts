import type { ObservableResult } from "@opentelemetry/api";

import { Attribute } from "./names.ts";
import { checkStoresOptions, type InstrumentStoresOptions } from "./options.ts";
import { failed } from "./outcome.ts";
import { Telemetry } from "./telemetry.ts";
import { Values } from "./values.ts";

/** The stores of the contracts of `@tenon/stores` and `@tenon/tasks`, by their usual names. */
const contracts: ReadonlySet<string> = new Set([
  "auth",
  "bus",
  "events",
  "leases",
  "rates",
  "replay",
  "sessions",
  "tasks",
]);

type Method = (...values: unknown[]) => unknown;

/**
 * Measures the calls of stores: the histogram `tenon.store.operation.duration` has their durations,
 * by contract, operation and type of error. The gauge `tenon.task.active` has the number of tasks
 * that have not ended, by `tenon.task.state`, if the store counts them. Use the result in place of
 * the stores. While the program has registered no meter provider, calls are passed on without
 * further cost.
 *
 * @param stores - The result of a function such as `createRedisStores`. The stores `auth`, `bus`,
 *   `events`, `leases`, `rates`, `replay`, `sessions` and `tasks` are measured. Other properties
 *   are copied.
 * @returns A new object. `close` of the result closes `stores`.
 *
 * @example
 * const stores = instrumentStores({ sessions: createMemorySessionStore(), bus: createMemoryBus() });
 *
 * @throws `TypeError` for options that do not exist.
 */
export function instrumentStores<T extends object>(stores: T, options: InstrumentStoresOptions = {}): T {
  const { maxValues } = checkStoresOptions(options);
  const telemetry = new Telemetry(options, new Values(maxValues));
  const copied = Object.getOwnPropertyNames(stores).map((name): [string, unknown] => {
    const value: unknown = stores[name as keyof T];
    if (name === "close" && typeof value === "function") {
      return [name, closing(() => value.call(stores) as unknown, telemetry)];
    }
    return [name, isObject(value) && contracts.has(name) ? measured(name, value, telemetry) : value];
  });
  return Object.assign(withDisposal(stores, telemetry), Object.fromEntries(copied)) as T;
}

/** An object with the methods of a store. Only those that are part of its contract are measured. */
function measured(contract: string, store: object, telemetry: Telemetry): object {
  const read = contract === "tasks" && isCounting(store) ? countReader(store) : undefined;
  const methods = methodsOf(store).map(([name, method]): [string, Method] => {
    const bound: Method = (...values) => method.apply(store, values);
    if (name === "close") {
      return [name, closing(bound, read && telemetry)];
    }
    const begin = (): void => {
      if (read !== undefined) {
        telemetry.read("tenon.task.active", read);
      }
    };
    return [name, timed(bound, { contract, operation: name }, telemetry, begin)];
  });
  return Object.assign(withDisposal(store, read && telemetry), Object.fromEntries(methods));
}

function timed(
  method: Method,
  { contract, operation }: { readonly contract: string; readonly operation: string },
  telemetry: Telemetry,
  begin: () => void,
): Method {
  const shared = { [Attribute.store]: contract, [Attribute.storeOperation]: operation };
  return (...values) => {
    if (!telemetry.isRecording) {
      return method(...values);
    }
    begin();
    const started = performance.now();
    const end = (error?: unknown): void => {
      const { attributes } = error === undefined ? { attributes: {} } : failed("client", true, error);
      telemetry.record("tenon.store.operation.duration", started, { ...shared, ...attributes });
    };
    const result = method(...values);
    if (result instanceof Promise) {
      result.then(() => end(), end);
    }
    return result;
  };
}

/** Closes a store, which is not counted afterwards. */
function closing(close: Method, telemetry: Telemetry | undefined): Method {
  return () => {
    telemetry?.endReads();
    return close();
  };
}

/** A task store that counts, as `TaskStore` of `@tenon/tasks` does. */
interface CountingStore {
  count(): Promise<Readonly<Record<"queued" | "running" | "waiting", number>>>;
}

const isCounting = (store: object): store is CountingStore =>
  "count" in store && typeof store.count === "function";

/** Reads the counts of a store. While a store fails, the gauge has a gap. */
function countReader(store: CountingStore): (result: ObservableResult) => Promise<void> {
  return async (result) => {
    const counts = await store.count().catch(() => undefined);
    for (const state of ["queued", "running", "waiting"] as const) {
      if (counts !== undefined) {
        result.observe(counts[state], { [Attribute.taskState]: state });
      }
    }
  };
}

/** The methods of an object and of its prototypes. */
function methodsOf(store: object): [string, Method][] {
  const methods = new Map<string, Method>();
  for (
    let owner: object | null = store;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object | null
  ) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      const value: unknown = name === "constructor" ? undefined : Reflect.get(store, name);
      if (typeof value === "function" && !methods.has(name)) {
        methods.set(name, value as Method);
      }
    }
  }
  return [...methods];
}

/** An object that is disposed of as the original. */
function withDisposal(original: object, telemetry: Telemetry | undefined): object {
  const dispose: unknown = Reflect.get(original, Symbol.asyncDispose);
  return typeof dispose === "function"
    ? { [Symbol.asyncDispose]: closing(() => dispose.call(original) as unknown, telemetry) }
    : {};
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
