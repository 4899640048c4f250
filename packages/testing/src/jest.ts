/**
 * Matchers for Jest. Add them in a setup file: `expect.extend(matchers)`.
 *
 * @packageDocumentation
 */

import type { Expect } from "expect";

import * as core from "./matchers/matchers.ts";
import type { TenonMatchers } from "./matchers/types.ts";

export type { TenonMatchers } from "./matchers/types.ts";

declare module "expect" {
  // oxlint-disable-next-line no-unused-vars -- the declaration that is extended has the parameters
  interface Matchers<R extends void | Promise<void>, T = unknown> extends TenonMatchers {}
}

/** The matchers, for `expect.extend`. */
export const matchers: typeof core & Parameters<Expect["extend"]>[0] = core;
