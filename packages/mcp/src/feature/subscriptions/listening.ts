import { lazy, type Lazy } from "../../lazy.ts";
import type * as keepModule from "./keep.ts";

/** What opens the subscriptions of a client in the modern era. */
export const listening: Lazy<typeof keepModule> = lazy(() => import("./keep.ts"));
