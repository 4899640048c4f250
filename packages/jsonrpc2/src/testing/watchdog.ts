import type { Connection, ConnectOptions } from "../transport.ts";
import type { ConformanceOptions, ConnectedPair, PairFactory } from "./conformance.ts";

/**
 * Time of a check with its clean-up: below the 5 s of most test runners, whose message would not
 * name the event.
 */
const defaultCheckTimeoutMs = 4000;

/** The event that a check waits for. */
interface Pending {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  /** The duty of the transport that would settle it. */
  readonly hint?: (() => string | undefined) | undefined;
}

/** The time that a check has, clean-up included, in milliseconds. */
export function checkTimeoutOf({ checkTimeoutMs = defaultCheckTimeoutMs }: ConformanceOptions): number {
  return checkTimeoutMs;
}

/**
 * Runs a check. If it takes longer than `checkTimeoutMs`, it fails with the event that has not
 * happened.
 */
export async function runWatched(
  run: (factory: PairFactory, options: ConformanceOptions) => Promise<void>,
  factory: PairFactory,
  options: ConformanceOptions,
): Promise<void> {
  const pending = new Set<Pending>();
  let fail: (error: Error) => void = () => {};
  const hung = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const limitMs = checkTimeoutOf(options);
  const timer = setTimeout(() => {
    const late = `Check exceeds the limit of ${limitMs} ms (checkTimeoutMs).`;
    fail(new Error(`${late} ${describe(pending)}`));
  }, limitMs);
  const track: Track = (name, work, { signal, hint } = {}) => {
    if (work instanceof Promise) {
      const entry = { name, signal, hint };
      pending.add(entry);
      const settled = (): void => void pending.delete(entry);
      work.then(settled, settled);
    }
    return work;
  };
  const { connect } = options;
  try {
    await Promise.race([
      run(async () => watched(await track("the factory", factory()), track), {
        ...options,
        ...(connect === undefined
          ? {}
          : { connect: (given: ConnectOptions) => track("connect()", connect(given), given) }),
      }),
      hung,
    ]);
  } finally {
    fail = () => {};
    clearTimeout(timer);
  }
}

type Track = <T>(name: string, work: T, about?: Omit<Pending, "name" | "signal"> & ConnectOptions) => T;

/** The pair, and whatever else its maker has put on it. */
function watched(pair: ConnectedPair, track: Track): ConnectedPair {
  for (const end of ["left", "right"] as const) {
    if (typeof (pair as ConnectedPair | undefined)?.[end]?.read !== "function") {
      throw new TypeError(
        `The factory of pairs must resolve with { left, right }; ${end} is not a connection.`,
      );
    }
  }
  const closed = new Set<string>();
  const { release } = pair;
  const members: Readonly<Record<PropertyKey, unknown>> = {
    left: watchedEnd("left", pair.left, track, closed),
    right: watchedEnd("right", pair.right, track, closed),
    ...(release === undefined ? {} : { release: () => track("release()", release.call(pair)) }),
  };
  return new Proxy(pair, {
    get: (target, name) =>
      Object.hasOwn(members, name) ? members[name] : (Reflect.get(target, name, target) as unknown),
  });
}

function watchedEnd(end: string, connection: Connection, track: Track, closed: Set<string>): Connection {
  return new Proxy(connection, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function"
        ? (...args: readonly unknown[]): unknown => {
            const { signal } = (args[1] ?? {}) as ConnectOptions;
            if (name === "close" || name === Symbol.asyncDispose) {
              closed.add(end);
            }
            const work: unknown = Reflect.apply(member, target, args);
            return track(`${end}.${String(name)}()`, work, {
              signal,
              hint: () => hintFor(name, end, closed),
            });
          }
        : member;
    },
  });
}

/** The usual omission behind a call that does not settle after a `close`. */
function hintFor(name: string | symbol, end: string, closed: ReadonlySet<string>): string | undefined {
  const whose = closed.has(end) ? "its own" : "the other";
  if (closed.size === 0 || (name !== "read" && name !== "write")) {
    return undefined;
  }
  return name === "read"
    ? `close of ${whose} end must end the queue of read(), as MessageQueue.end() does`
    : `close of ${whose} end must reject it with connectionClosed()`;
}

function describe(pending: ReadonlySet<Pending>): string {
  const waits = [...pending].slice(0, 5).map(({ name, signal, hint }) => {
    if (signal?.aborted === true) {
      return `${name}, whose signal has fired, must reject: pass the signal on, or use unlessAborted`;
    }
    const duty = hint?.();
    return duty === undefined ? `${name} has not settled` : `${name} has not settled: ${duty}`;
  });
  return `${waits.join("; ") || "No call is pending"}.`;
}
