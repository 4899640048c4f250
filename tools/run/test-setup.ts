import { configureGlobal } from "fast-check";
import { afterAll, vi } from "vitest";

/**
 * Property tests draw the same cases in every run, so that a red run means that the code changed.
 * New cases are drawn with `TENON_SEED=random` or any integer, as the scheduled workflow does.
 */
const wanted = process.env["TENON_SEED"] ?? "20260728";

if (wanted !== "random") {
  configureGlobal({ seed: Number(wanted) });
}

/**
 * A module that is loaded on first use may still be on its way when the last test of a file ends.
 * The files of a package share their modules, and vitest keeps one whose loading it cut off as
 * failed for every later file, so no file ends before its imports have.
 */
afterAll(() => vi.dynamicImportSettled());
