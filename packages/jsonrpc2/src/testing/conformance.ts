import type { Connection, ConnectOptions } from "../transport.ts";
import { closing } from "./checks/closing.ts";
import { connecting } from "./checks/connecting.ts";
import { delivery } from "./checks/delivery.ts";
import { order } from "./checks/order.ts";
import { peers } from "./checks/peers.ts";
import { pressure } from "./checks/pressure.ts";
import { runWatched } from "./watchdog.ts";

/**
 * A test runner, as far as the kit needs one: vitest, `node:test` and most others fit as they are.
 */
export interface TestRunner {
  /** Registers a test. */
  test(name: string, run: () => Promise<void>): unknown;
}

/** Two ends of one stream: a message that is written to one is read from the other. */
export interface ConnectedPair {
  readonly left: Connection;
  readonly right: Connection;
  /** Ends whatever holds the pair together beyond `close` of both ends. Called after each check. */
  readonly release?: (() => Promise<void>) | undefined;
}

/** Makes a new pair. Called once for each check, and several times by some. */
export type PairFactory = () => Promise<ConnectedPair>;

/**
 * The properties in which transports differ. Each check that does not apply is left out, not
 * passed.
 */
export interface ConformanceOptions {
  /**
   * Opens one end alone, for the checks of `Transport.connect`. Whatever it opens is closed by the
   * check.
   */
  readonly connect?: ((options: ConnectOptions) => Promise<Connection>) | undefined;
  /**
   * Sends text, which need not be a message, as one frame from the left end to the right end.
   * Required by the checks of malformed input.
   */
  readonly inject?: ((pair: ConnectedPair, text: string) => Promise<void>) | undefined;
  /** True if both ends share the objects they exchange. Default false. */
  readonly shared?: boolean | undefined;
  /** Whether batches pass. Default true. */
  readonly batches?: boolean | undefined;
  /** Whether what was written before `close` still arrives. Default true. */
  readonly drains?: boolean | undefined;
  /** Size of the huge message, in bytes. Default 4 MiB. */
  readonly hugeBytes?: number | undefined;
  /**
   * How much, in bytes, the kit writes before it concludes that nothing slows a writer down.
   * Default 64 MiB.
   */
  readonly floodBytes?: number | undefined;
  /**
   * Counts what a leak would leave behind (handles, listeners, timers); equal before and after use
   * if given.
   */
  readonly countResources?: (() => number) | undefined;
  /**
   * Maximum time of a check, including the end of its pair, in milliseconds. Keep it below the
   * limit of your test runner, whose message does not name what the check waits for. Default:
   * `4_000`.
   */
  readonly checkTimeoutMs?: number | undefined;
}

/** One check of the kit: a sentence that is true of every transport, and its proof. */
export interface Check {
  readonly name: string;
  /** False where it does not apply. Default: it applies. */
  readonly applies?: ((options: ConformanceOptions) => boolean) | undefined;
  run(factory: PairFactory, options: ConformanceOptions): Promise<void>;
}

/**
 * Registers the checks that every `Transport` must pass, one test each. A check fails if it
 * takes longer than `checkTimeoutMs`. The error names the pending call.
 *
 * @param runner - Where to register them.
 * @param factory - Makes a connected pair over the transport under test.
 * @returns How many checks were registered.
 * @source S-013
 */
export function transportConformance(
  runner: TestRunner,
  factory: PairFactory,
  options: ConformanceOptions = {},
): number {
  const all: readonly Check[] = [...delivery, ...order, ...pressure, ...closing, ...connecting, ...peers];
  const checks = all.filter(({ applies }) => applies === undefined || applies(options));
  for (const check of checks) {
    runner.test(check.name, () => runWatched((pairs, given) => check.run(pairs, given), factory, options));
  }
  return checks.length;
}
