import { compile } from "../main.ts";
import type { Class } from "../standard/class.ts";
import { ValidationError } from "../validation-error.ts";
import type { ValidationIssue } from "../validator.ts";
import { decodeSpec } from "./decode.ts";
import { specOf } from "./spec-of.ts";

/**
 * Turns validated JSON into an instance of a class with described fields, nested ones too: names as
 * in the class, strings as `Date`, `URL`, `Uint8Array` and `bigint` where the fields are. The data
 * is not changed.
 *
 * If the constructor takes no parameters, it creates the instance, so initializers and private
 * fields work. Otherwise the instance is created from the prototype only.
 *
 * @param data - JSON that {@link For} of the class accepts. Undescribed parts are ignored
 * @throws ValidationError if a string cannot be converted for its field, because JSON Schema does
 *   not check every format
 */
export function revive<T extends object>(target: Class<T>, data: unknown): T {
  const errors: ValidationIssue[] = [];
  const value = decodeSpec(specOf(target), data, errors, compile);
  if (errors.length > 0) {
    throw new ValidationError(errors);
  }
  return value as T;
}
