import { isRecord } from "@tenon/base";

import type { Schema } from "./keywords.ts";
import { isOfType } from "./modern.ts";
import { strictSchema, strictSource, strictTypes } from "./strict.ts";

/** Maximum depth of arguments. Deeper values are returned unchanged. */
const maxDepth = 200;

/**
 * The arguments that a model gave by a {@link strictSchema}, as the server's own schema wants them:
 * a `null` in the place of an optional property, which strict mode cannot leave out, is left out.
 * In a union, the branch that the value fits decides. If the schema has no strict form, only those
 * `null`s of optional properties are left out that the server would refuse.
 */
export function fromStrictArguments(
  schema: Schema,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { $defs, ...root } = strictSource(schema).schema;
  const reader = new Reader(isRecord($defs) ? $defs : {}, strictSchema(schema) !== undefined);
  return reader.strip(root, args, 0) as Record<string, unknown>;
}

class Reader {
  readonly #definitions: Readonly<Record<string, unknown>>;
  readonly #isStrict: boolean;
  readonly #fits = new Map<Schema, Map<object, boolean>>();

  constructor(definitions: Readonly<Record<string, unknown>>, isStrict: boolean) {
    this.#definitions = definitions;
    this.#isStrict = isStrict;
  }

  strip(at: unknown, value: unknown, depth: number): unknown {
    if (typeof value !== "object" || value === null || depth > maxDepth) {
      return value;
    }
    const schemas = this.#about(at, value, new Set());
    if (Array.isArray(value)) {
      const items = schemas.map((schema) => schema["items"]).find(isRecord);
      const places = schemas.map((schema) => schema["prefixItems"]).find(Array.isArray) ?? [];
      return value.map((item, index) => this.strip(places[index] ?? items, item, depth + 1));
    }
    const required = new Set(schemas.flatMap((schema) => (schema["required"] ?? []) as string[]));
    const entries: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const below = schemas.map(({ properties }) =>
        isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined,
      );
      const known = below.filter(isRecord);
      const isForced =
        member === null &&
        known.length > 0 &&
        !required.has(name) &&
        (this.#isStrict || !known.every((one) => this.#takesNull(one, 0)));
      if (!isForced) {
        const rest = schemas.map((schema) => schema["additionalProperties"]).find(isRecord);
        entries.push([name, this.strip(known[0] ?? rest, member, depth + 1)]);
      }
    }
    return Object.fromEntries(entries);
  }

  /** The schemas that say something about a value: of a union, the branch that the value fits. */
  #about(at: unknown, value: object, passed: Set<Schema>): readonly Schema[] {
    if (!isRecord(at) || passed.has(at)) {
      return [];
    }
    passed.add(at);
    const unions = [at["anyOf"], at["oneOf"]].filter((list): list is Schema[] => Array.isArray(list));
    const chosen = unions.map((branches) => branches.find((branch) => this.#isFor(branch, value, 0)));
    const target = this.#target(at);
    const parts = [target, ...(Array.isArray(at["allOf"]) ? (at["allOf"] as unknown[]) : []), ...chosen];
    return [at, ...parts.flatMap((part) => this.#about(part, value, passed))];
  }

  #target({ $ref }: Schema): unknown {
    return typeof $ref === "string" ? this.#definitions[$ref.slice("#/$defs/".length)] : undefined;
  }

  #isFor(schema: Schema, value: unknown, depth: number): boolean {
    if (typeof value !== "object" || value === null) {
      return this.#matches(schema, value, depth);
    }
    const known = this.#fits.get(schema) ?? new Map<object, boolean>();
    this.#fits.set(schema, known);
    const found = known.get(value);
    if (found !== undefined || depth > maxDepth) {
      return found ?? false;
    }
    // A schema that consists only of a reference to itself matches nothing.
    known.set(value, false);
    const result = this.#matches(schema, value, depth);
    known.set(value, result);
    return result;
  }

  /** Whether a value is as the strict form of a schema says. Patterns and formats are not tried. */
  #matches(schema: unknown, value: unknown, depth: number): boolean {
    if (!isRecord(schema)) {
      return true;
    }
    const { anyOf, oneOf, allOf, minimum = -Infinity, maximum = Infinity } = schema;
    const target = this.#target(schema);
    const types = strictTypes(schema);
    const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
    return (
      (types.length === 0 || types.some((type) => isOfType(type, value))) &&
      (!Array.isArray(values) || (typeof value === "object" && value !== null) || values.includes(value)) &&
      (typeof value !== "number" || (value >= (minimum as number) && value <= (maximum as number))) &&
      (!isRecord(target) || this.#isFor(target, value, depth + 1)) &&
      [allOf].flat().every((part) => !isRecord(part) || this.#isFor(part, value, depth + 1)) &&
      [anyOf, oneOf].every(
        (list) =>
          !Array.isArray(list) ||
          list.some((branch) => !isRecord(branch) || this.#isFor(branch, value, depth + 1)),
      ) &&
      this.#hasMembers(schema, value, depth)
    );
  }

  #hasMembers(schema: Schema, value: unknown, depth: number): boolean {
    if (Array.isArray(value)) {
      const { items, minItems = 0, maxItems = Infinity } = schema;
      return (
        value.length >= (minItems as number) &&
        value.length <= (maxItems as number) &&
        value.every((item) => !isRecord(items) || this.#isFor(items, item, depth + 1))
      );
    }
    const { properties, required = [], additionalProperties } = schema;
    if (!isRecord(value) || !isRecord(properties)) {
      return true;
    }
    const wanted = new Set(required as string[]);
    const isClosed = this.#isStrict || additionalProperties === false;
    return (
      Object.keys(value).every((name) => !isClosed || Object.hasOwn(properties, name)) &&
      Object.entries(properties).every(([name, member]) => {
        if (!Object.hasOwn(value, name)) {
          return !wanted.has(name) && !this.#isStrict;
        }
        const given = value[name];
        return (
          (given === null && !wanted.has(name)) || !isRecord(member) || this.#isFor(member, given, depth + 1)
        );
      })
    );
  }

  #takesNull(schema: Schema, depth: number): boolean {
    return depth < maxDepth && this.#isFor(schema, null, depth);
  }
}
