import { isRecord } from "@tenon/base";

import type { SchemaCheck } from "./check.ts";
import type { InputPlan } from "./input.ts";
import { isLongInteger } from "./long-integers.ts";

/**
 * Makes a check that accepts strings of digits as parameters that are integers, if the integer is
 * too long for JavaScript. Results have such integers as strings, and a parameter is written as
 * text. The properties of a JSON body have types.
 */
export function acceptLong(check: SchemaCheck, { parameters }: InputPlan): SchemaCheck {
  return (value) => {
    const problem = check(value);
    if (problem === undefined || !isRecord(value)) {
      return problem;
    }
    const numbers = Object.fromEntries(
      parameters.flatMap(({ argument }) =>
        Object.hasOwn(value, argument) ? [[argument, withNumbers(value[argument])] as const] : [],
      ),
    );
    return check({ ...value, ...numbers }) === undefined ? undefined : problem;
  };
}

function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withNumbers);
  }
  return typeof value === "string" && isLongInteger(value) ? Number(value) : value;
}
