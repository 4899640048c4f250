import type { Engine } from "../compile.ts";
import type { ReportEngine } from "../report/errors.ts";

/**
 * Builds for browsers and workers contain no code generator: a content security policy may forbid
 * it, and scanners look for it.
 */
export const engine: Engine | undefined = undefined;

/** Nor does anything generate code for reports. */
export const reportEngine: ReportEngine | undefined = undefined;
