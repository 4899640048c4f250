import * as functions from "./matchers.ts";

/** The matchers, for `expect.extend` of vitest and Jest. */
export const matchers: typeof functions = functions;
