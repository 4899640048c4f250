import { lazy, type Lazy } from "../../lazy.ts";
import type { ToolReference } from "./definition.ts";
import type * as typedCallModule from "./typed-call.ts";

/** What makes and reads the calls of tools whose definitions are at hand. */
export const typedCalls: Lazy<typeof typedCallModule> = lazy(() => import("./typed-call.ts"));

/** True for what a typed call names: it has an `input`, be it `undefined`, as no params of the protocol have. */
export function isToolReference(value: object): value is ToolReference {
  return "input" in value;
}
