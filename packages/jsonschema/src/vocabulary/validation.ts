import type { Keyword, Vocabulary } from "../dialect/keyword.ts";
import { store, stringList, text } from "../ir/reader.ts";
import { bitOf } from "../value/type.ts";
import { dependents } from "./dependents.ts";

/** A keyword whose value is kept as it is, if it is what it has to be. */
// @__NO_SIDE_EFFECTS__
function kept(expected: string, isValid: (value: unknown) => boolean): Keyword {
  return {
    read(reader, value) {
      if (!isValid(value)) throw reader.malformed(expected);
      store(reader, value);
    },
  };
}

const isNumber = (value: unknown): value is number => typeof value === "number" && !Number.isNaN(value);
const number = kept("a number", isNumber);
const count = kept("a non-negative integer", (value) => Number.isInteger(value) && Number(value) >= 0);

/** Validation vocabulary (validation §6). draft-07 has the same keywords but for `dependentRequired` and the contains bounds. */
export const validation07: Vocabulary = {
  type: {
    read({ node, malformed }, value) {
      node.types = 0;
      for (const name of Array.isArray(value) ? value : [value]) {
        const bit = bitOf(name);
        if (bit === undefined) throw malformed("a JSON type name or a list of them");
        node.types |= bit;
      }
    },
  },
  const: {
    read({ node }, value) {
      node.hasConst = true;
      node.const = value;
    },
  },
  enum: kept("an array", Array.isArray),
  multipleOf: kept("a number above 0", (value) => Number.isFinite(value) && Number(value) > 0),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minLength: count,
  maxLength: count,
  pattern: {
    read(reader, value) {
      store(reader, reader.pattern(text(reader, value, "a regular expression")));
    },
  },
  minItems: count,
  maxItems: count,
  uniqueItems: kept("a boolean", (value) => typeof value === "boolean"),
  minProperties: count,
  maxProperties: count,
  required: {
    read(reader, value) {
      store(reader, stringList(reader, value));
    },
  },
};

/** Validation vocabulary of drafts 2019-09 and 2020-12. */
export const validation: Vocabulary = {
  ...validation07,
  minContains: count,
  maxContains: count,
  dependentRequired: dependents,
};
