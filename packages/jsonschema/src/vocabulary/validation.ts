import { aBoolean, aCount, aDivisor, anArray, aNumber, types, type Shape } from "../ir/keyword-shape.ts";
import type { Keyword, Vocabulary } from "../ir/keyword.ts";
import { stringList, text } from "../ir/reader.ts";
import { bitOf } from "../value/type.ts";
import { dependents } from "./dependents.ts";

/** A keyword whose value is stored unchanged if it has the right type. */
// @__NO_SIDE_EFFECTS__
function kept(shape: Shape): Keyword {
  return {
    read(reader, value) {
      reader.require(shape, value);
      return value;
    },
  };
}

const number = kept(aNumber);
const count = kept(aCount);

/**
 * Validation vocabulary (validation §6). draft-07 has the same keywords but for `dependentRequired`
 * and the contains bounds.
 */
export const validation07: Vocabulary = {
  type: {
    read({ node, require }, value) {
      require(types, value);
      node.types = 0;
      for (const name of [value].flat()) {
        node.types |= bitOf(name) ?? 0;
      }
    },
  },
  const: {
    read({ node }, value) {
      node.hasConst = true;
      return value;
    },
  },
  enum: kept(anArray),
  multipleOf: kept(aDivisor),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minLength: count,
  maxLength: count,
  pattern: { read: (reader, value) => reader.pattern(text(reader, value)) },
  minItems: count,
  maxItems: count,
  uniqueItems: {
    read({ require, unique }, value) {
      require(aBoolean, value);
      return value === true ? unique : undefined;
    },
  },
  minProperties: count,
  maxProperties: count,
  required: { read: stringList },
};

/** Validation vocabulary of drafts 2019-09 and 2020-12. */
export const validation: Vocabulary = {
  ...validation07,
  minContains: count,
  maxContains: count,
  dependentRequired: dependents,
};
