import { canonicalJson } from "@tenon/base/canonical-json";
import type { TestRunner } from "@tenon/jsonrpc2/testing";

/** A store under test, empty at first. */
export interface StoreSubject<Store> extends AsyncDisposable {
  /** The store. */
  readonly store: Store;
  /** The same data as another process sees it. Default: the same object. */
  readonly other?: Store | undefined;
  /** Advances the clock of the store by milliseconds. */
  advance(ms: number): Promise<void>;
  /**
   * Opens the store again, as the next process would after this one was killed. Required by the
   * checks of `durable`.
   */
  readonly reopen?: (() => Promise<Store>) | undefined;
  /** Makes the store unreachable, until `restore`. Required by the checks of `stops`. */
  readonly stop?: (() => Promise<void>) | undefined;
  /** Makes the store reachable again, with the same data. */
  readonly restore?: (() => Promise<void>) | undefined;
}

/** Creates an empty store. Called once for each check. */
export type StoreSubjectFactory<Store> = () => Promise<StoreSubject<Store>>;

/** Properties in which stores differ. Checks that do not apply are left out, not passed. */
export interface StoreConformanceOptions {
  /** Whether the store survives its process, so that `reopen` exists. Default: `false`. */
  readonly durable?: boolean | undefined;
  /** Whether several processes use it, so that it refuses old fences. Default: `false`. */
  readonly shared?: boolean | undefined;
  /** Whether it can be unreachable, so that `stop` and `restore` exist. Default: `false`. */
  readonly stops?: boolean | undefined;
}

/** One check of a kit: a sentence that is true of every store, and its proof. */
export interface Check<Store> {
  readonly name: string;
  /** The property that the store must have for this check. */
  readonly only?: keyof StoreConformanceOptions;
  run(test: CheckedStore<Store>): Promise<void>;
}

/** The store of a check, with every part. */
export interface CheckedStore<Store> {
  readonly store: Store;
  readonly other: Store;
  advance(ms: number): Promise<void>;
  reopen(): Promise<Store>;
  stop(): Promise<void>;
  restore(): Promise<void>;
}

/** Registers the checks that apply. @returns How many. */
export function register<Store>(
  runner: TestRunner,
  checks: readonly Check<Store>[],
  make: StoreSubjectFactory<Store>,
  options: StoreConformanceOptions,
): number {
  const applied = checks.filter(({ only }) => only === undefined || options[only] === true);
  for (const { name, run } of applied) {
    runner.test(name, async () => {
      const under = await make();
      const { store, other = store } = under;
      try {
        await run({
          store,
          other,
          advance: (ms) => under.advance(ms),
          reopen: () => required(under.reopen, "reopen")(),
          stop: () => required(under.stop, "stop")(),
          restore: () => required(under.restore, "restore")(),
        });
      } finally {
        await under[Symbol.asyncDispose]();
      }
    });
  }
  return applied.length;
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) {
    throw new TypeError(`StoreSubject.${name} must exist for this store.`);
  }
  return value;
}

/** Fails unless both are equal as JSON; `undefined` equals only itself. */
export function equal(actual: unknown, expected: unknown): void {
  const [got, wanted] = [text(actual), text(expected)];
  if (got !== wanted) {
    throw new Error(`The store must return ${shortened(wanted)}; got ${shortened(got)}.`);
  }
}

/** Fails unless a call rejects with an error of this code. */
export async function rejects(call: () => unknown, code: string): Promise<void> {
  let got: unknown;
  try {
    got = await call();
  } catch (error) {
    equal((error as { code?: unknown }).code ?? String(error), code);
    return;
  }
  throw new Error(`The store must reject with ${code}; got ${shortened(text(got))}.`);
}

/** The value. Fails if there is none. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new TypeError("The store must return a value; got undefined.");
  }
  return value;
}

/** Runs a function for 0 to `count - 1` at the same time. */
export function times<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

/**
 * Runs a function for 0 to `count - 1` at the same time, and makes the store unreachable as soon as
 * one call has succeeded. Calls that fail with `STORE_FAILED` return `undefined`: they may have had
 * an effect.
 */
export async function interrupted<T>(
  count: number,
  call: (index: number) => Promise<T>,
  stop: () => Promise<void>,
): Promise<(T | undefined)[]> {
  const calls = Array.from({ length: count }, (_, index) => call(index));
  const settled = Promise.allSettled(calls);
  await Promise.race(calls);
  await stop();
  return (await settled).map((result) => {
    if (result.status === "fulfilled") {
      return result.value;
    }
    equal((result.reason as { code?: unknown }).code ?? String(result.reason), "STORE_FAILED");
    return undefined;
  });
}

/** Repeats a call until it does not fail: connections are made again in the background. */
export async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= 200) {
        throw error;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }
}

/** Runs a function with a date that is wrong by `ms`. No other check may run at the same time. */
export async function skewed<T>(ms: number, run: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + ms;
  try {
    return await run();
  } finally {
    Date.now = now;
  }
}

/** Maximum error of the date of a process, in milliseconds (5 minutes). */
export const skewMs = 300_000;

/** Text with every kind of character, of this length. */
export function everyText(length: number): string {
  const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
  const part = `${bytes}é\u2028\u0000\ud83d\ude00\n'"\\`;
  return part.repeat(Math.floor(length / part.length)).padEnd(length, ".");
}

function text(value: unknown): string {
  return value === undefined ? "undefined" : canonicalJson(value);
}

function shortened(value: string): string {
  return value.length > 500 ? `${value.slice(0, 500)}…` : value;
}
