import { isRecord } from "@tenon/base";

import { sha256 } from "../../names/sha256.ts";
import { everySchema, subschemas, type Schema } from "./keywords.ts";
import { resolverOf, type Resolve } from "./resolve.ts";

/** The names of properties that a vendor accepts. */
export interface KeyRule {
  readonly allowed: RegExp;
  /** The characters that `_` replaces. */
  readonly foreign: RegExp;
}

/** Anthropic's error text of 2025 and 2026 names the expression. */
export const anthropicKeys: KeyRule = { allowed: /^[a-zA-Z0-9_.-]{1,64}$/, foreign: /[^a-zA-Z0-9_.-]/g };

/** Gemini: a letter or `_` first, then letters, digits and `_`. */
export const geminiKeys: KeyRule = {
  allowed: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  foreign: /[^a-zA-Z0-9_]|^(?=\d)/g,
};

const maxLength = 64;
const hashLength = 8;

/** The names of properties that a vendor rejects, and the names that replace them. */
export type Keys = ReadonlyMap<string, string>;

const tables = new WeakMap<KeyRule, WeakMap<object, Keys>>();

/**
 * The new names for the properties anywhere in a schema. No new name is also the name of another
 * property of the schema, so there is exactly one way back. The same schema has the same names.
 */
export function keysOf(schema: Schema, rule: KeyRule): Keys {
  const known = tables.get(rule) ?? new WeakMap<object, Keys>();
  tables.set(rule, known);
  const table = known.get(schema) ?? createKeys(schema, rule);
  known.set(schema, table);
  return table;
}

function createKeys(root: Schema, { allowed, foreign }: KeyRule): Keys {
  const names = new Set<string>();
  for (const { properties } of everySchema(root) as Iterable<{ readonly properties?: unknown }>) {
    if (isRecord(properties)) {
      Object.keys(properties).forEach((name) => names.add(name));
    }
  }
  const taken = new Set(names);
  const keys = new Map<string, string>();
  for (const name of names) {
    if (!allowed.test(name)) {
      const mended = mend(name, foreign, taken);
      taken.add(mended);
      keys.set(name, mended);
    }
  }
  return keys;
}

function mend(name: string, foreign: RegExp, taken: ReadonlySet<string>): string {
  const plain = name.replaceAll(foreign, "_");
  if (plain !== "" && plain.length <= maxLength && !taken.has(plain)) {
    return plain;
  }
  for (let salt = 0; ; salt++) {
    const hash = sha256(`${salt === 0 ? "" : salt}${name}`).slice(0, hashLength);
    const hashed = `${plain.slice(0, maxLength - hashLength - 1)}_${hash}`;
    if (!taken.has(hashed)) {
      return hashed;
    }
  }
}

/** Arguments nested deeper than this are not renamed. */
const maxDepth = 200;

/**
 * The arguments that a model gave by a schema with new names, with the names of the server's own
 * schema. A name is changed only where the schema has the property; the keys of maps stay.
 */
export function fromMendedKeys(
  schema: Schema,
  args: Readonly<Record<string, unknown>>,
  rule: KeyRule,
): Record<string, unknown> {
  const back = new Map([...keysOf(schema, rule)].map(([name, mended]) => [mended, name]));
  return back.size === 0
    ? { ...args }
    : (restore([schema], args, back, inPlaceOf(resolverOf(schema)), 0) as Record<string, unknown>);
}

function restore(
  at: readonly unknown[],
  value: unknown,
  back: ReadonlyMap<string, string>,
  here: InPlace,
  depth: number,
): unknown {
  if (depth > maxDepth || typeof value !== "object" || value === null) {
    return value;
  }
  const schemas = [...new Set(at.flatMap((schema) => (isRecord(schema) ? here(schema) : [])))];
  if (Array.isArray(value)) {
    const rest = schemas.flatMap((schema) => [schema["items"], schema["additionalItems"]]);
    return value.map((item, index) => {
      const placed = schemas.flatMap(({ prefixItems, items }) =>
        [prefixItems, items].map((list) => (Array.isArray(list) ? (list[index] as unknown) : undefined)),
      );
      return restore([...rest, ...placed], item, back, here, depth + 1);
    });
  }
  const members = Object.entries(value).map(([key, member]): [string, unknown] => {
    const original = back.get(key);
    const isKnown = original !== undefined && schemas.some((schema) => has(schema, original));
    const name = isKnown ? original : key;
    const below = schemas.flatMap((schema) => [
      ...(has(schema, name) ? [(schema["properties"] as Schema)[name]] : []),
      schema["additionalProperties"],
      ...(isRecord(schema["patternProperties"]) ? Object.values(schema["patternProperties"]) : []),
    ]);
    return [name, restore(below, member, back, here, depth + 1)];
  });
  return Object.fromEntries(members);
}

function has({ properties }: Schema, name: string): boolean {
  return isRecord(properties) && Object.hasOwn(properties, name);
}

/** The keywords whose schemas are about the same value. */
const inPlace = new Set(["anyOf", "oneOf", "allOf", "if", "then", "else", "dependentSchemas"]);

/** All schemas that say something about the same value as a schema, the schema included. */
type InPlace = (schema: Schema) => readonly Schema[];

function inPlaceOf(resolve: Resolve): InPlace {
  const known = new Map<Schema, readonly Schema[]>();
  return (start) => {
    const found = known.get(start) ?? closure(start, resolve);
    known.set(start, found);
    return found;
  };
}

function closure(start: Schema, resolve: Resolve): readonly Schema[] {
  const found = new Set<Schema>();
  const waiting: unknown[] = [start];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (isRecord(schema) && !found.has(schema)) {
      found.add(schema);
      if (typeof schema["$ref"] === "string") {
        waiting.push(resolve(schema["$ref"]));
      }
      const same = Object.entries(schema).filter(([keyword]) => inPlace.has(keyword));
      waiting.push(...subschemas(Object.fromEntries(same)));
    }
  }
  return [...found];
}
