import { SchemaError } from "./error.ts";
import type { ResolvedLimits } from "./options.ts";

/** The error for a schema that is beyond one of the limits. */
export function limitExceeded(
  limits: ResolvedLimits,
  limit: keyof ResolvedLimits,
  location: string,
): SchemaError {
  return new SchemaError(
    "limit-exceeded",
    location,
    `the schema exceeds the limit ${limit} (${limits[limit]})`,
  );
}
