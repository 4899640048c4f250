import { isRecord } from "@tenon/base";

import type { SchemaCheck } from "./check.ts";
import type { InputPlan } from "./input.ts";
import { isLongInteger } from "./long-integers.ts";

/**
 * Makes a check that accepts strings of digits as parameters that are integers, if the integer is
 * too long for JavaScript. Results have such integers as strings, and a parameter is written as
 * text. A number of that length is refused: it was rounded when the request was parsed, and would
 * name something else. The properties of a JSON body have types.
 */
export function acceptLong(check: SchemaCheck, { parameters }: InputPlan): SchemaCheck {
  return (value) => {
    if (!isRecord(value)) {
      return check(value);
    }
    const given = parameters.filter(({ argument }) => Object.hasOwn(value, argument));
    const rounded = given.find(({ argument }) => hasRounded(value[argument]));
    if (rounded !== undefined) {
      return `${rounded.argument}: expected an integer below 2^53, or a string with its digits; got a longer number, of which JavaScript does not keep all digits`;
    }
    const problem = check(value);
    if (problem === undefined) {
      return undefined;
    }
    const numbers = Object.fromEntries(
      given.map(({ argument }) => [argument, withNumbers(value[argument])] as const),
    );
    return check({ ...value, ...numbers }) === undefined ? undefined : problem;
  };
}

function hasRounded(value: unknown): boolean {
  return Array.isArray(value)
    ? value.some(hasRounded)
    : typeof value === "number" && isLongInteger(String(value));
}

function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withNumbers);
  }
  return typeof value === "string" && isLongInteger(value) ? Number(value) : value;
}
