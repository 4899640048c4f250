import { hasOne, nothingEvaluated, seenBefore } from "../closures/evaluated.ts";
import { createMeter, LimitReached } from "../ir/meter.ts";
import { deepEqual } from "../value/equal.ts";
import { tooLong, tooShort } from "../value/length.ts";
import { multipleOf } from "../value/multiple-of.ts";
import { unique } from "../value/unique.ts";
import type { HelperName } from "./emitter.ts";

/** True if the object has a defined property whose name is not in the set. */
export function hasOther(members: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): boolean {
  for (const key in members) {
    if (members[key] !== undefined && !names.has(key)) {
      return true;
    }
  }
  return false;
}

/** Functions that generated code may call. */
export const helpers: Readonly<Record<HelperName, unknown>> = {
  deepEqual,
  multipleOf,
  tooLong,
  tooShort,
  unique,
  hasOther,
  nothingEvaluated,
  hasOne,
  seenBefore,
  createMeter,
  LimitReached,
};
