import { checkOptionNames, unlessAborted } from "@tenon/base";

import { createHistogram, type LatencyBucket, type LatencySummary } from "./load/histogram.ts";

/** Options of {@link load}. */
export interface LoadTestOptions {
  /** Closed loop: the number of calls in flight at any time. Default: 1, unless `rps` is given. */
  readonly concurrency?: number | undefined;
  /**
   * Open loop: the number of calls started each second, even if earlier calls are pending. The
   * time of a call counts from the moment at which it should have started.
   */
  readonly rps?: number | undefined;
  /** The number of calls. Default: 1,000. */
  readonly calls?: number | undefined;
  /**
   * Calls before the measurement, which are made as the measured ones and not reported: the first
   * calls of a program load and compile its code. Default: 0.
   */
  readonly warmUp?: number | undefined;
  /** Calls in flight above which an open loop gives up calls, and counts them. Default: 10,000. */
  readonly maxInFlight?: number | undefined;
  /** The most that percentiles may take, in ms, such as `{ p99: 50 }`. */
  readonly budget?: LoadBudget | undefined;
  /** Ends the run: the calls so far are reported. */
  readonly signal?: AbortSignal | undefined;
}

/** Limits of a run, in ms. */
export type LoadBudget = Partial<Record<"p50" | "p90" | "p99" | "max", number>>;

/** The result of a run. Plain JSON. */
export interface LoadReport {
  /** Calls that settled. */
  readonly calls: number;
  /** Calls that rejected. */
  readonly failed: number;
  /** Calls of an open loop that were not started, because too many were in flight. */
  readonly skipped: number;
  /** The message of the first failure. */
  readonly firstError?: string | undefined;
  /** Duration of the run, in ms. */
  readonly durationMs: number;
  readonly callsPerSecond: number;
  /** Times of the calls that succeeded. */
  readonly latency: LatencySummary;
  /** How often calls took how long, in at most 20 ranges. Empty if no call succeeded. */
  readonly histogram: readonly LatencyBucket[];
  /** The limits of the budget that do not hold, such as `p99: 61.2 ms, at most 50`. */
  readonly exceeded: readonly string[];
}

/**
 * Calls a function many times and measures each call: with a fixed number of calls in flight
 * (closed loop), or at a fixed rate (open loop). An open loop shows what users of a busy server
 * see, because a slow call does not delay the start of the next call.
 *
 * @param call - Makes one call, such as `() => session.callTool({ name: "greet" })`. It gets the
 *   number of the call, from 0. Calls to warm up are counted from 0 too.
 * @throws `TypeError` for options that do not exist, for both `rps` and `concurrency`, for numbers
 *   that are not positive, and for parts of calls.
 */
export async function load(
  call: (index: number) => Promise<unknown>,
  options: LoadTestOptions = {},
): Promise<LoadReport> {
  checkOptionNames("load", options, "concurrency rps calls warmUp maxInFlight budget signal");
  checkNumbers(options);
  const { calls = 1_000, budget = {}, signal } = options;
  checkOptionNames("budget", budget, "p50 p90 p99 max");
  const latency = createHistogram();
  let settled = 0;
  let failed = 0;
  let firstError: string | undefined;

  let isWarm = false;
  async function measured(index: number, since: number): Promise<void> {
    try {
      await call(index);
      if (isWarm) {
        latency.add(performance.now() - since);
      }
    } catch (error) {
      failed += isWarm ? 1 : 0;
      firstError ??= error instanceof Error ? error.message : String(error);
    }
    settled += isWarm ? 1 : 0;
  }
  const loop = (count: number): Promise<number> =>
    options.rps === undefined
      ? closedLoop(measured, count, options.concurrency ?? 1, signal)
      : openLoop(measured, count, options.rps, options.maxInFlight ?? 10_000, signal);

  await loop(options.warmUp ?? 0);
  isWarm = true;
  firstError = undefined;
  const started = performance.now();
  const skipped = await loop(calls);
  const durationMs = performance.now() - started;
  const summary = latency.summary();
  const exceeded = Object.entries(budget)
    .filter(([name, most]) => summary[name as keyof LoadBudget] > most)
    .map(([name, most]) => `${name}: ${summary[name as keyof LoadBudget]} ms, at most ${most}`);
  const callsPerSecond = durationMs === 0 ? 0 : Math.round((settled / durationMs) * 1_000);
  const histogram = latency.distribution(maxRanges);
  const rest = { durationMs, callsPerSecond, latency: summary, histogram, exceeded };
  return { calls: settled, failed, skipped, ...(firstError === undefined ? {} : { firstError }), ...rest };
}

/** Ranges of the histogram of a report. */
const maxRanges = 20;

type Measured = (index: number, since: number) => Promise<void>;

async function closedLoop(
  measured: Measured,
  calls: number,
  concurrency: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let next = 0;
  const isOver = (): boolean => next >= calls || signal?.aborted === true;
  async function lane(): Promise<void> {
    while (!isOver()) {
      await measured(next++, performance.now());
    }
  }
  await untilAborted(Promise.all(Array.from({ length: Math.min(concurrency, calls) }, lane)), signal);
  return 0;
}

async function openLoop(
  measured: Measured,
  calls: number,
  rps: number,
  maxInFlight: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const open = new Set<Promise<void>>();
  const started = performance.now();
  let skipped = 0;
  const isAborted = (): boolean => signal?.aborted === true;
  for (let index = 0; index < calls && !isAborted(); index++) {
    const due = started + (index * 1_000) / rps;
    while (performance.now() < due && !isAborted()) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(due - performance.now(), 100)));
    }
    if (open.size >= maxInFlight) {
      skipped++;
      continue;
    }
    const running: Promise<void> = measured(index, due).finally(() => open.delete(running));
    open.add(running);
  }
  await untilAborted(Promise.all(open), signal);
  return skipped;
}

/** Waits for calls, but no longer than the run. */
async function untilAborted(running: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  await unlessAborted(running, signal).catch(() => {});
}

function checkNumbers(options: LoadTestOptions): void {
  if (options.rps !== undefined && options.concurrency !== undefined) {
    throw new TypeError("Expected either rps (open loop) or concurrency (closed loop); got both.");
  }
  for (const name of ["rps", "concurrency", "calls", "maxInFlight"] as const) {
    const value = options[name];
    if (value !== undefined && !(value > 0 && value < Infinity)) {
      throw new TypeError(`Expected a positive number for ${name}; got ${value}.`);
    }
  }
  for (const name of ["concurrency", "calls", "maxInFlight", "warmUp"] as const) {
    const value = options[name];
    if (value !== undefined && !Number.isInteger(value)) {
      throw new TypeError(`Expected a whole number for ${name}; got ${value}.`);
    }
  }
  if (options.warmUp !== undefined && !(options.warmUp >= 0 && options.warmUp < Infinity)) {
    throw new TypeError(`Expected a number of calls for warmUp; got ${options.warmUp}.`);
  }
}
