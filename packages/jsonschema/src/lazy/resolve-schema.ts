import { createResolver, type ResolveSchema } from "../standard/resolver.ts";
import { compile } from "./compile.ts";

/** {@link ResolveSchema} on closures alone, whose `check` gives a promise for the first values that do not fit. */
export const resolveSchema: ResolveSchema = createResolver(compile);
