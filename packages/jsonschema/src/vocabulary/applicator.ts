import type { Keyword, Vocabulary } from "../dialect/keyword.ts";
import type { Node } from "../ir/node.ts";
import { membersOf, readSchema, readSchemas, schemaMap, stringList } from "../ir/reader.ts";
import { escapeToken } from "../resolve/pointer.ts";

const schema: Keyword = { holds: "schemas", read: readSchema };
const schemas: Keyword = { holds: "schemas", read: readSchemas };

const shared: Vocabulary = {
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
  if: schema,
  then: schema,
  else: schema,
  contains: schema,
  propertyNames: schema,
  additionalProperties: schema,
  properties: {
    holds: "members",
    read(reader, node, value, keyword) {
      node.properties = new Map(schemaMap(reader, node, value, keyword));
    },
  },
  patternProperties: {
    holds: "members",
    read(reader, node, value, keyword) {
      node.patternProperties = schemaMap(reader, node, value, keyword).map(([source, child]) => [
        reader.pattern(node, source, `${keyword}/${escapeToken(source)}`),
        child,
      ]);
    },
  },
  dependencies: {
    holds: "members",
    read(reader, node, value, keyword) {
      const required: (readonly [string, readonly string[]])[] = [...(node.dependentRequired ?? [])];
      const schemas: (readonly [string, Node])[] = [...(node.dependentSchemas ?? [])];
      for (const [name, item] of membersOf(reader, node, value, keyword)) {
        if (Array.isArray(item)) required.push([name, stringList(reader, node, item, keyword)]);
        else schemas.push([name, reader.child(node, item, `/${keyword}/${escapeToken(name)}`)]);
      }
      if (required.length > 0) node.dependentRequired = required;
      if (schemas.length > 0) node.dependentSchemas = schemas;
      node.names = { ...node.names, dependentRequired: keyword, dependentSchemas: keyword };
    },
  },
};

const dependentSchemas: Keyword = {
  holds: "members",
  read(reader, node, value, keyword) {
    node.dependentSchemas = [...(node.dependentSchemas ?? []), ...schemaMap(reader, node, value, keyword)];
  },
};

const itemsOrTuple: Keyword = {
  holds: "schemas",
  read(reader, node, value, keyword) {
    if (!Array.isArray(value)) return readSchema(reader, node, value, keyword);
    node.prefixItems = value.map((item, i) => reader.child(node, item, `/${keyword}/${i}`));
    node.names = { ...node.names, prefixItems: "items", items: "additionalItems" };
    const additional = typeof node.schema === "object" ? node.schema["additionalItems"] : undefined;
    if (additional !== undefined) node.items = reader.child(node, additional, "/additionalItems");
  },
};

/** Applicator vocabulary of draft 2020-12 (core §10), with the `dependencies` of earlier drafts. */
export const applicator: Vocabulary = { ...shared, prefixItems: schemas, items: schema, dependentSchemas };

/** Applicators of draft-07 (validation draft-07 §6.4–6.7): `items` may be a list, followed by `additionalItems`. */
export const applicator07: Vocabulary = {
  ...shared,
  items: itemsOrTuple,
  additionalItems: { holds: "schemas" },
};

/** Applicators of draft 2019-09. */
export const applicator2019: Vocabulary = { ...applicator07, dependentSchemas };

/** Unevaluated vocabulary (core §11). */
export const unevaluated: Vocabulary = { unevaluatedItems: schema, unevaluatedProperties: schema };
