import { compile } from "../main.ts";
import { createResolver, type ResolveSchema } from "./resolver.ts";

/** {@link ResolveSchema} with everything this package does. */
export const resolveSchema: ResolveSchema = createResolver(compile);
