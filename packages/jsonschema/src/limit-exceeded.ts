import { SchemaError } from "./error.ts";
import type { Limits } from "./options.ts";

/** The error for a schema that is beyond one of the limits. */
export function limitExceeded(limits: Limits, limit: keyof Limits, location: string): SchemaError {
  return new SchemaError(
    "limit-exceeded",
    location,
    `the schema exceeds the limit ${limit} (${limits[limit]})`,
  );
}
