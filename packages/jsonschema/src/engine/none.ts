import type { Engine } from "../compile.ts";

/** Builds for browsers and workers contain no code generator: a content security policy may forbid it, and scanners look for it. */
export const engine: Engine | undefined = undefined;
