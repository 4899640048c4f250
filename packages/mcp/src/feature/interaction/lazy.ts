import { lazy, type Lazy } from "../../lazy.ts";
import type * as askingModule from "./asking.ts";

/** What asks clients for input. */
export type Asking = typeof askingModule;

/** Most handlers never ask. */
export const asking: Lazy<Asking> = lazy(() => import("./asking.ts"));
