import { compileIn } from "../compile.ts";
import { defaultsOf } from "../defaults.ts";
import { errorsOf } from "../report/errors.ts";
import { createResolver, type ResolveSchema } from "../sources/resolver.ts";

/**
 * {@link ResolveSchema} on closures alone. Everything about classes comes with the classes, by
 * their metadata.
 */
export const resolveSchema: ResolveSchema = createResolver((schema) =>
  compileIn({ errors: errorsOf, extras: defaultsOf }, schema),
);
