import { annotate, revisionsOf } from "./presence.ts";
import type { SupersetFacts } from "./repository.ts";
import { canonical, isSchema, listOf, mapOf, refName, rewriteAll, stringsOf } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/** The definitions of one revision, flattened and amended, to be merged. */
export interface RevisionDefinitions {
  readonly revision: string;
  readonly definitions: Definitions;
}

/**
 * Merges all revisions into one definition per name. The rules, in order:
 *
 * 1. The newest structure wins.
 * 2. A field is required only if every revision that has the definition requires it; fields that
 * only older revisions have are kept, optional. So a value of any revision fits, and a new revision
 * never breaks callers (S-071).
 * 3. Unions and enums take in the members that only older revisions have.
 * 4. Where newer revisions name a shape that older ones write in place, the older shape joins the
 * named definition; an open map such as `MetaObject` gains no fields by that.
 * 5. A definition with a later name (`renames`) joins the later one.
 * 6. A map that some revision leaves open to any value is open to any value.
 * 7. Fields that the session fills in (`filledIn`) are optional on every definition.
 *
 * @param history revisions, oldest first
 */
export function mergeRevisions(history: readonly RevisionDefinitions[], facts: SupersetFacts): Definitions {
  const merged: Definitions = {};
  const joining: Definitions = {};
  const join = new Join((name, shape) => {
    joining[name] = joining[name] === undefined ? shape : join.schemas(joining[name], shape);
  });
  for (const { revision, definitions } of history.toReversed()) {
    for (const [oldName, schema] of Object.entries(renamed(definitions, facts.renames))) {
      const name = facts.renames[oldName] ?? oldName;
      const shape = annotate(schema, revision);
      merged[name] = merged[name] === undefined ? shape : join.schemas(merged[name], shape);
    }
  }
  // A shape that joins may itself hold shapes that join others, hence the loop; each round empties
  // the table.
  for (let round = 0; round < maxRounds && Object.keys(joining).length > 0; round += 1) {
    for (const [name, shape] of Object.entries(joining)) {
      delete joining[name];
      const target = merged[name];
      if (target !== undefined) {
        merged[name] = join.schemas(target, isOpenMap(target) ? withoutFields(shape) : shape);
      }
    }
  }
  return relax(merged, facts.filledIn);
}

const maxRounds = 8;

function renamed(definitions: Definitions, renames: SupersetFacts["renames"]): Definitions {
  return rewriteAll(definitions, (node) => {
    const target = renames[refName(node) ?? ""];
    return target === undefined ? node : { ...node, $ref: `#/$defs/${target}` };
  });
}

function relax(definitions: Definitions, filledIn: readonly string[]): Definitions {
  const relaxed = Object.entries(definitions).map(([name, schema]): [string, Schema] => {
    // The discriminator of the one result that is not a final answer stays: it is how one tells.
    const optional = name === "InputRequiredResult" ? ["_meta"] : filledIn;
    const required = stringsOf(schema, "required").filter((field) => !optional.includes(field));
    return [name, schema["required"] === undefined ? schema : { ...schema, required }];
  });
  return Object.fromEntries(relaxed);
}

class Join {
  readonly #contribute: (name: string, shape: Schema) => void;

  constructor(contribute: (name: string, shape: Schema) => void) {
    this.#contribute = contribute;
  }

  /** The newer schema, widened by what only the older one has. */
  schemas(newer: Schema, older: Schema): Schema {
    const both = { ...newer, ...revisionsOf(newer, older), ...description(newer, older) };
    const name = refName(newer);
    if (name !== undefined) {
      if (refName(older) === undefined) {
        this.#contribute(name, older);
      }
      return both;
    }
    if (isUnion(newer)) {
      return this.#unions(both, newer, older);
    }
    if (newer["type"] === "object" && older["type"] === "object") {
      return this.#objects(both, newer, older);
    }
    if (newer["type"] === "array" && older["type"] === "array") {
      return this.#arrays(both, newer, older);
    }
    if (Array.isArray(newer["enum"])) {
      return { ...both, enum: enums(newer["enum"], older) };
    }
    return both;
  }

  #unions(both: Schema, newer: Schema, older: Schema): Schema {
    const members = listOf(newer, "anyOf");
    const known = new Set(members.map(shapeOf));
    const added = (isUnion(older) ? listOf(older, "anyOf") : [older]).filter(
      (member) => !known.has(shapeOf(member)) && (isUnion(older) || member["type"] !== "object"),
    );
    return { ...both, anyOf: [...members, ...added] };
  }

  #objects(both: Schema, newer: Schema, older: Schema): Schema {
    const properties = { ...mapOf(newer, "properties") };
    for (const [name, schema] of Object.entries(mapOf(older, "properties"))) {
      properties[name] = properties[name] === undefined ? schema : this.schemas(properties[name], schema);
    }
    const required = stringsOf(newer, "required").filter((field) =>
      stringsOf(older, "required").includes(field),
    );
    const additional = this.#openness(newer["additionalProperties"], older["additionalProperties"]);
    return {
      ...both,
      properties,
      required,
      ...(additional === undefined ? {} : { additionalProperties: additional }),
    };
  }

  /** Values of an open map: the newest structure, unless an older revision admits anything. */
  #openness(values: unknown, olderValues: unknown): unknown {
    if (values === undefined || olderValues === undefined) {
      return values;
    }
    if (admitsAnything(values) || admitsAnything(olderValues)) {
      return {};
    }
    return isSchema(values) && isSchema(olderValues) ? this.schemas(values, olderValues) : values;
  }

  #arrays(both: Schema, newer: Schema, older: Schema): Schema {
    const [items, olderItems] = [newer["items"], older["items"]];
    return isSchema(items) && isSchema(olderItems)
      ? { ...both, items: this.schemas(items, olderItems) }
      : both;
  }
}

/** A map from any name to any value, such as `MetaObject`: it admits every object as it is. */
function isOpenMap(schema: Schema): boolean {
  return (
    admitsAnything(schema["additionalProperties"]) && Object.keys(mapOf(schema, "properties")).length === 0
  );
}

function withoutFields(schema: Schema): Schema {
  const { properties: _, required: __, ...rest } = schema;
  return rest;
}

function admitsAnything(values: unknown): boolean {
  return values === true || (isSchema(values) && shapeOf(values) === "{}");
}

function isUnion(schema: Schema): boolean {
  return Array.isArray(schema["anyOf"]);
}

function enums(values: readonly unknown[], older: Schema): unknown[] {
  const before = Array.isArray(older["enum"])
    ? (older["enum"] as unknown[])
    : "const" in older
      ? [older["const"]]
      : [];
  return [...new Set([...values, ...before])];
}

function description(newer: Schema, older: Schema): Schema {
  const text = newer["description"] ?? older["description"];
  return text === undefined ? {} : { description: text };
}

/** Identity of a union member: what it accepts, not how it is described or since when. */
function shapeOf(schema: Schema): string {
  return canonical(
    JSON.parse(JSON.stringify(schema, (key, value: unknown) => (prose.has(key) ? undefined : value))),
  );
}

const prose = new Set(["description", "x-revisions"]);
