import { createResolverOf, type ResolveSchema } from "../sources/resolver.ts";
import { lazily } from "./compile.ts";

/**
 * {@link ResolveSchema} that loads the compiler only if it needs it. Until then `check` returns a
 * promise for the first values that do not match, and for schemas that are not flat.
 */
export const resolveSchema: ResolveSchema = createResolverOf((schema) => {
  const { checkFilled: check, load } = lazily(schema);
  return { check, load };
}, lazily);
