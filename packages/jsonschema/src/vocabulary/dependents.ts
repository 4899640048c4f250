import type { Keyword } from "../ir/keyword.ts";
import type { Node } from "../ir/node.ts";
import { membersOf, stringList } from "../ir/reader.ts";

/**
 * `dependentRequired`, `dependentSchemas`, and `dependencies` of earlier drafts, in which either
 * may stand.
 */
export const dependents: Keyword = {
  holds: "members",
  inPlace: true,
  read(reader, value) {
    const { node, keyword } = reader;
    const isEither = keyword === "dependencies";
    const required: (readonly [string, readonly string[]])[] = [];
    const schemas: (readonly [string, Node])[] = [];
    for (const [name, item] of membersOf(reader, value)) {
      if (isEither ? Array.isArray(item) : keyword === "dependentRequired") {
        required.push([name, stringList(reader, item)]);
      } else {
        schemas.push([name, reader.child(item, name)]);
      }
    }
    if (required.length > 0) {
      node.dependentRequired = required.concat(node.dependentRequired ?? []);
    }
    if (schemas.length > 0) {
      node.dependentSchemas = schemas.concat(node.dependentSchemas ?? []);
    }
    if (isEither) {
      node.names = { ...node.names, dependentRequired: keyword, dependentSchemas: keyword };
    }
  },
};
