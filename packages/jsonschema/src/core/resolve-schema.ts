import { compileIn } from "../compile.ts";
import { defaultsOf } from "../defaults.ts";
import { createResolver, type ResolveSchema } from "../standard/resolver.ts";
import { environment } from "./compile.ts";

/** {@link ResolveSchema} on closures alone. Everything about classes comes with the classes, by their metadata. */
export const resolveSchema: ResolveSchema = createResolver((schema) =>
  compileIn({ ...environment, extras: defaultsOf }, schema),
);
