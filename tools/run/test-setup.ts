import { configureGlobal } from "fast-check";
import { afterAll, expect, vi } from "vitest";

/**
 * Property tests draw the same cases in every run, so that a red run means that the code changed.
 * `TENON_SEED` is another integer to draw by: the run of each night takes a new one.
 */
configureGlobal({ seed: Number(process.env["TENON_SEED"] ?? "20260728") });

/**
 * A module that is loaded on first use may still be on its way when the last test of a file ends.
 * The files of a package share their modules, and vitest keeps one whose loading it cut off as
 * failed for every later file, so no file ends before its imports have.
 */
afterAll(() => vi.dynamicImportSettled());

/** The files of a worker share their modules: after a reset, later files would have two of each. */
if (expect.getState().testPath?.endsWith(".alone.test.ts") !== true) {
  vi.resetModules = (): never => {
    throw new Error("A file that resets modules needs a worker of its own: name it *.alone.test.ts.");
  };
}

/**
 * What a busy machine does late is not wrong, as for `expect.poll` in `vitest.config.ts`. The own
 * default is a second.
 */
const timeout = 60_000;
const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
afterAll(() => {
  Object.assign(vi, { waitFor, waitUntil });
});

function patient(options: Parameters<typeof waitFor>[1]): Parameters<typeof waitFor>[1] {
  return typeof options === "number" ? options : { timeout, ...options };
}

/**
 * Some libraries replace global classes for the whole process, such as `@hono/node-server` when it
 * listens. Other files of the worker need those of the platform.
 */
const globals = ["Request", "Response", "Headers", "fetch"].map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);
afterAll(() => {
  globals.forEach(([name, descriptor]) => {
    if (descriptor !== undefined) {
      Object.defineProperty(globalThis, name, descriptor);
    }
  });
});

const reads = process.env["TENON_READS"];
if (reads !== undefined) {
  const { recordReads } = await import("./record-reads.ts");
  recordReads(reads);
}

const costs = process.env["TENON_COSTS"];
if (costs !== undefined) {
  const { recordCosts } = await import("./record-costs.ts");
  recordCosts(costs);
}
