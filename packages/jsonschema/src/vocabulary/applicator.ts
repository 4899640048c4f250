import type { Keyword, Vocabulary } from "../ir/keyword.ts";
import { readSchema, readSchemas, schemaMap } from "../ir/reader.ts";
import { dependents } from "./dependents.ts";

const inPlace: Keyword = { holds: "schemas", inPlace: true, read: readSchema };
const listInPlace: Keyword = { holds: "schemas", inPlace: true, read: readSchemas };
const below: Keyword = { holds: "schemas", read: readSchema };

const shared: Vocabulary = {
  allOf: listInPlace,
  anyOf: listInPlace,
  oneOf: listInPlace,
  not: inPlace,
  if: inPlace,
  then: inPlace,
  else: inPlace,
  contains: below,
  propertyNames: below,
  additionalProperties: below,
  properties: { holds: "members", read: (reader, value) => new Map(schemaMap(reader, value)) },
  patternProperties: {
    holds: "members",
    read: (reader, value) =>
      schemaMap(reader, value).map(([source, child]) => [reader.pattern(source, source), child]),
  },
  dependencies: dependents,
};

/** `items` where it may be a list, which 2020-12 calls `prefixItems`. */
const itemsOrTuple: Keyword = {
  holds: "schemas",
  read(reader, value) {
    if (!Array.isArray(value)) {
      return readSchema(reader, value);
    }
    const { node } = reader;
    node.prefixItems = value.map(reader.child);
    node.names = { ...node.names, prefixItems: "items", items: "additionalItems" };
    return undefined;
  },
};

const additionalItems: Keyword = {
  holds: "schemas",
  read({ node, child }, value) {
    if (typeof node.schema === "object" && Array.isArray(node.schema["items"])) {
      node.items = child(value);
    }
  },
};

/** Applicator vocabulary of draft 2020-12 (core §10), with the `dependencies` of earlier drafts. */
export const applicator: Vocabulary = {
  ...shared,
  prefixItems: { holds: "schemas", read: readSchemas },
  items: below,
  dependentSchemas: dependents,
};

/**
 * Applicators of draft-07 (validation draft-07 §6.4–6.7): `items` may be a list, followed by
 * `additionalItems`.
 */
export const applicator07: Vocabulary = { ...shared, items: itemsOrTuple, additionalItems };

/** Applicators of draft 2019-09. */
export const applicator2019: Vocabulary = { ...applicator07, dependentSchemas: dependents };

/** Unevaluated vocabulary (core §11). */
export const unevaluated: Vocabulary = { unevaluatedItems: below, unevaluatedProperties: below };
