import type { Connection, ConnectOptions } from "../transport.ts";
import type { ConformanceOptions, ConnectedPair, PairFactory } from "./conformance.ts";

/**
 * With nothing begun or settled for this long a check hangs: sooner than the limit of most test
 * runners, whose message would not name the event.
 */
const idleMs = 3000;

/** The event that a check waits for. */
interface Pending {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

/** Runs a check. If it hangs, it fails with the event that has not happened. */
export async function runWatched(
  run: (factory: PairFactory, options: ConformanceOptions) => Promise<void>,
  factory: PairFactory,
  options: ConformanceOptions,
): Promise<void> {
  const pending = new Set<Pending>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let fail: (error: Error) => void = () => {};
  const hung = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const restart = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(new Error(describe(pending))), idleMs);
  };
  const track = <T>(name: string, signal: AbortSignal | undefined, work: T): T => {
    if (work instanceof Promise) {
      const entry = { name, signal };
      pending.add(entry);
      restart();
      const settled = (): void => {
        pending.delete(entry);
        restart();
      };
      work.then(settled, settled);
    }
    return work;
  };
  const { connect } = options;
  restart();
  try {
    await Promise.race([
      run(async () => watched(await track("the factory", undefined, factory()), track), {
        ...options,
        ...(connect === undefined
          ? {}
          : { connect: (given: ConnectOptions) => track("connect()", given.signal, connect(given)) }),
      }),
      hung,
    ]);
  } finally {
    fail = () => {};
    clearTimeout(timer);
  }
}

type Track = <T>(name: string, signal: AbortSignal | undefined, work: T) => T;

/** The pair, and whatever else its maker has put on it. */
function watched(pair: ConnectedPair, track: Track): ConnectedPair {
  const ends: Readonly<Record<PropertyKey, unknown>> = {
    left: watchedEnd("left", pair.left, track),
    right: watchedEnd("right", pair.right, track),
  };
  return new Proxy(pair, {
    get: (target, name) => (Object.hasOwn(ends, name) ? ends[name] : Reflect.get(target, name, target)),
  });
}

function watchedEnd(end: string, connection: Connection, track: Track): Connection {
  return new Proxy(connection, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function"
        ? (...args: readonly unknown[]): unknown => {
            const { signal } = (args[1] ?? {}) as { readonly signal?: AbortSignal | undefined };
            return track(`${end}.${String(name)}()`, signal, Reflect.apply(member, target, args) as unknown);
          }
        : member;
    },
  });
}

function describe(pending: ReadonlySet<Pending>): string {
  const waits = [...pending]
    .slice(0, 5)
    .map(({ name, signal }) =>
      signal?.aborted === true
        ? `${name}, whose signal has fired, must reject: give the signal to what it waits for, or use unlessAborted`
        : `${name} has not settled`,
    );
  return `The check hangs: nothing has happened for ${idleMs} ms. ${waits.join("; ") || "No call is pending"}.`;
}
