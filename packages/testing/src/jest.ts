/**
 * Matchers for Jest. Add them in a setup file: `expect.extend(matchers)`.
 *
 * @packageDocumentation
 */

import type { Matchers } from "expect";

import type { TenonMatchers } from "./matchers/types.ts";

export { matchers } from "./matchers/all.ts";
export type { TenonMatchers } from "./matchers/types.ts";

declare module "expect" {
  // oxlint-disable-next-line no-unused-vars -- the declaration that is extended has the parameters
  interface Matchers<R extends void | Promise<void>, T = unknown> extends TenonMatchers {}
}

/** The matchers of Jest, together with the matchers of this kit. */
export type JestMatchers = Matchers<void>;
