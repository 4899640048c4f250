import type { Keyword, Vocabulary } from "../dialect/keyword.ts";
import { membersOf, store, stringList, type KeywordReader } from "../ir/reader.ts";
import { bitOf } from "../value/type.ts";

const type: KeywordReader = (reader, node, value, keyword) => {
  let mask = 0;
  for (const name of Array.isArray(value) ? value : [value]) {
    const bit = bitOf(name);
    if (bit === undefined) throw reader.malformed(node, keyword, "a JSON type name or a list of them");
    mask |= bit;
  }
  node.types = mask;
};

const number: Keyword = {
  holds: "none",
  read(reader, node, value, keyword) {
    const positive = keyword === "multipleOf";
    if (typeof value !== "number" || Number.isNaN(value) || (positive && value <= 0)) {
      throw reader.malformed(node, keyword, positive ? "a number above 0" : "a number");
    }
    store(node, keyword, value);
  },
};

const count: Keyword = {
  holds: "none",
  read(reader, node, value, keyword) {
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
      throw reader.malformed(node, keyword, "a non-negative integer");
    }
    store(node, keyword, value);
  },
};

const dependentRequired: KeywordReader = (reader, node, value, keyword) => {
  const entries = membersOf(reader, node, value, keyword).map(
    ([name, list]) => [name, stringList(reader, node, list, keyword)] as const,
  );
  node.dependentRequired = [...(node.dependentRequired ?? []), ...entries];
};

/** Validation vocabulary (validation §6). draft-07 has the same keywords but for `dependentRequired` and the contains bounds. */
export const validation07: Vocabulary = {
  type: { holds: "none", read: type },
  const: {
    holds: "none",
    read: (_reader, node, value) => {
      node.hasConst = true;
      node.const = value;
    },
  },
  enum: {
    holds: "none",
    read: (reader, node, value, keyword) => {
      if (!Array.isArray(value)) throw reader.malformed(node, keyword, "an array");
      node.enum = value;
    },
  },
  multipleOf: number,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minLength: count,
  maxLength: count,
  pattern: {
    holds: "none",
    read: (reader, node, value, keyword) => {
      if (typeof value !== "string") throw reader.malformed(node, keyword, "a regular expression");
      node.pattern = reader.pattern(node, value, keyword);
    },
  },
  minItems: count,
  maxItems: count,
  uniqueItems: {
    holds: "none",
    read: (reader, node, value, keyword) => {
      if (typeof value !== "boolean") throw reader.malformed(node, keyword, "a boolean");
      node.uniqueItems = value;
    },
  },
  minProperties: count,
  maxProperties: count,
  required: {
    holds: "none",
    read: (reader, node, value, keyword) => void (node.required = stringList(reader, node, value, keyword)),
  },
};

/** Validation vocabulary of drafts 2019-09 and 2020-12. */
export const validation: Vocabulary = {
  ...validation07,
  minContains: count,
  maxContains: count,
  dependentRequired: { holds: "none", read: dependentRequired },
};
