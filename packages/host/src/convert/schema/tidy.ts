import { isRecord } from "@tenon/base";

import type { Report } from "../change.ts";
import type { Keys } from "./keys.ts";
import { keywords, type Kind, type Schema } from "./keywords.ts";
import { isOfType, modern, silent, typesIn } from "./modern.ts";
import type { Resolve } from "./resolve.ts";

/** Maximum number of schemas in a converted schema. */
const maxNodes = 10_000;

/** Maximum depth of schemas in schemas. */
const maxDepth = 48;

/** The description of a schema that was cut. */
export const cutMark = "(not described further)";

/** The requirements of a vendor beyond a valid schema. */
export interface TidyRules {
  /** New names of properties. By default names are kept. */
  readonly keys?: Keys | undefined;
  /** Whether a pattern is one that the vendor compiles. */
  readonly isPattern: (pattern: string) => boolean;
  /** Adds `items` to every array and `properties` to every object without. */
  readonly isWhole?: boolean | undefined;
  /** Whether `nullable` of OpenAPI is a type. Default `true`. */
  readonly readsNullable?: boolean | undefined;
  readonly report?: Report | undefined;
}

/** A schema that every validator of JSON Schema 2020-12 takes. */
export interface Tidied {
  readonly schema: Schema;
  /** True if something that restricts values was removed. */
  readonly isLossy: boolean;
}

/**
 * Makes a valid schema of any value: keywords have values of their kinds, forms of earlier drafts
 * are replaced, and unknown keywords are removed. Every target of a reference is
 * converted once, and is in `$defs`. Takes time and space linear in the input, up to 10,000 schemas
 * and 48 levels; schemas beyond that are cut.
 *
 * @param resolve - Resolves the references in the schema.
 */
export function tidy(schema: Schema, resolve: Resolve, rules: TidyRules): Tidied {
  const tidier = new Tidier(resolve, rules);
  const root = tidier.convert(schema, "/inputSchema", 0);
  const $defs = tidier.definitions();
  const isPlain = Object.keys($defs).length === 0;
  return {
    schema: isPlain ? asSchema(root) : { ...asSchema(root), $defs },
    isLossy: tidier.isLossy,
  };
}

class Tidier {
  isLossy = false;
  readonly #resolve: Resolve;
  readonly #rules: TidyRules;
  /** The targets of references, and their names in `$defs`. */
  readonly #targets = new Map<object, { readonly name: string; readonly at: string }>();
  readonly #names = new Set<string>();
  #left = maxNodes;

  constructor(resolve: Resolve, rules: TidyRules) {
    this.#resolve = resolve;
    this.#rules = rules;
  }

  /** Converts the targets of references, including the targets of references in targets. */
  definitions(): Record<string, unknown> {
    const definitions: [string, unknown][] = [];
    // The loop also visits targets that are found during the loop.
    for (const [target, { name, at }] of this.#targets) {
      definitions.push([name, this.convert(target, at, 1)]);
    }
    return Object.fromEntries(definitions);
  }

  convert(value: unknown, at: string, depth: number): Schema | boolean {
    if (typeof value === "boolean") {
      return value ? {} : { not: {} };
    }
    if (!isRecord(value)) {
      return this.#lose({}, "replaced", at, `A schema must be an object; got ${JSON.stringify(value)}.`);
    }
    this.#left--;
    if (this.#left < 0 || depth > maxDepth) {
      const type = typesIn(value["type"]);
      const cut = { ...(type.length === 0 ? {} : { type: listed(type) }), description: cutMark };
      return this.#lose(this.#whole(cut), "cut", at, "Schema exceeds the limits of depth or size.");
    }
    const schema = modern(value, this.#rules.readsNullable ?? true);
    const result: Record<string, unknown> = {};
    if (schema["$ref"] !== undefined) {
      Object.assign(result, this.#reference(schema["$ref"], `${at}/$ref`));
    }
    for (const [keyword, item] of Object.entries(schema)) {
      const kind = keywords.get(keyword);
      if (kind !== undefined && item !== undefined && item !== null) {
        const converted = this.#keyword(keyword, kind, item, `${at}/${keyword}`, depth);
        if (converted !== undefined) {
          result[keyword] = converted;
        }
      } else if (kind !== undefined && (keyword === "const" || keyword === "default")) {
        result[keyword] = item;
      } else if (!silent.has(keyword) && !/^x-/i.test(keyword)) {
        this.#rules.report?.("removed", `${at}/${keyword}`, `${keyword} is not a keyword, or has no value.`);
      }
    }
    this.#hoist(schema, result);
    this.#match(result, at);
    return this.#whole(result);
  }

  /** Draft 3 says `required: true` in the property itself. */
  #hoist({ properties, required }: Schema, result: Record<string, unknown>): void {
    const hoisted = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, member]) =>
      isRecord(member) && member["required"] === true ? [this.#key(name)] : [],
    );
    if (hoisted.length > 0) {
      const own = Array.isArray(required) ? (result["required"] as string[]) : [];
      result["required"] = [...new Set([...own, ...hoisted])];
    }
  }

  /** Some vendors reject values in `enum` that the type excludes. */
  #match(result: Record<string, unknown>, at: string): void {
    const { type, enum: values } = result;
    if (type === undefined || !Array.isArray(values)) {
      return;
    }
    const types = [type].flat() as string[];
    const fitting = values.filter((value) => types.some((name) => isOfType(name, value)));
    if (fitting.length === 0) {
      delete result["enum"];
      this.#lose(undefined, "removed", `${at}/enum`, "No value of enum has the type.");
    } else if (fitting.length < values.length) {
      result["enum"] = fitting;
      this.#rules.report?.("replaced", `${at}/enum`, "Values that do not have the type were removed.");
    }
  }

  #whole(schema: Record<string, unknown>): Schema {
    if (this.#rules.isWhole === true) {
      const types = [schema["type"]].flat();
      if (types.includes("array")) {
        schema["items"] ??= {};
      }
      if (types.includes("object")) {
        schema["properties"] ??= {};
      }
    }
    return schema;
  }

  #reference(ref: unknown, at: string): Schema {
    let target = typeof ref === "string" ? this.#resolve(ref) : undefined;
    const passed = new Set<unknown>();
    // References that only name each other have no end.
    while (isRecord(target) && typeof target["$ref"] === "string" && Object.keys(target).length === 1) {
      if (passed.has(target)) {
        target = undefined;
      } else {
        passed.add(target);
        target = this.#resolve(target["$ref"]);
      }
    }
    if (typeof target === "boolean") {
      return target ? {} : { not: {} };
    }
    if (!isRecord(target)) {
      return this.#lose({}, "removed", at, `${JSON.stringify(ref)} is not in the schema.`);
    }
    const known = this.#targets.get(target) ?? {
      name: this.#nameFor(String(ref)),
      at: `/inputSchema${String(ref).slice(1)}`,
    };
    this.#targets.set(target, known);
    return { $ref: `#/$defs/${known.name}` };
  }

  /** A name for `$defs` that needs no escapes. */
  #nameFor(ref: string): string {
    const last = ref.split("/").at(-1) ?? "";
    const plain =
      last
        .replaceAll(/[^a-zA-Z0-9_-]+/g, "_")
        .replace(/^_+/, "")
        .slice(0, 48) || "root";
    let name = plain;
    for (let count = 2; this.#names.has(name); count++) {
      name = `${plain}_${count}`;
    }
    this.#names.add(name);
    return name;
  }

  #keyword(keyword: string, kind: Kind, value: unknown, at: string, depth: number): unknown {
    switch (kind) {
      case "schema":
        return isBoolean(value) ? value : this.convert(value, at, depth + 1);
      case "schemas":
        return Array.isArray(value) && value.length > 0
          ? value.map((item, index) => this.convert(item, `${at}/${index}`, depth + 1))
          : this.#lose(undefined, "removed", at, `${keyword} must be a list of schemas.`);
      case "schemasByName":
      case "schemasByPattern":
        return this.#byName(keyword, value, at, depth);
      case "names":
        return this.#namesIn(value, at);
      case "namesByName":
        return isRecord(value)
          ? Object.fromEntries(
              Object.entries(value).map(([name, names]) => [this.#key(name), this.#namesIn(names, at) ?? []]),
            )
          : this.#lose(undefined, "removed", at, `${keyword} must be an object.`);
      case "type":
        return this.#types(value, at);
      default:
        return isOfKind(kind, value, this.#rules)
          ? value
          : this.#lose(undefined, "removed", at, `${keyword} is not valid: ${shown(value)}.`);
    }
  }

  #byName(keyword: string, value: unknown, at: string, depth: number): unknown {
    if (!isRecord(value)) {
      // An empty object of PHP is an empty array.
      return Array.isArray(value) && value.length === 0
        ? {}
        : this.#lose(undefined, "removed", at, `${keyword} must be an object of schemas.`);
    }
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const place = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (keyword === "patternProperties") {
        if (!this.#rules.isPattern(name)) {
          this.#lose(undefined, "removed", place, "The vendor does not know the regular expression.");
          continue;
        }
        members.push([name, this.convert(member, place, depth + 1)]);
        continue;
      }
      const key = this.#key(name);
      if (key !== name && keyword === "properties") {
        this.#rules.report?.("renamed", place, `The property ${JSON.stringify(name)} is named ${key}.`);
      }
      members.push([key, this.convert(member, place, depth + 1)]);
    }
    return Object.fromEntries(members);
  }

  #namesIn(value: unknown, at: string): readonly string[] | undefined {
    if (!Array.isArray(value)) {
      // `true` is draft 3, and counts in the schema around this one.
      return isBoolean(value) || (isRecord(value) && Object.keys(value).length === 0)
        ? undefined
        : this.#lose(undefined, "removed", at, `required must be a list of names; got ${shown(value)}.`);
    }
    const names = value.filter((name): name is string => typeof name === "string");
    return [...new Set(names.map((name) => this.#key(name)))];
  }

  #types(value: unknown, at: string): string | readonly string[] | undefined {
    const types = typesIn(value);
    if (types.length === 0) {
      return this.#lose(undefined, "removed", at, `type names no type: ${shown(value)}.`);
    }
    if (types.join() !== [value].flat().join()) {
      this.#rules.report?.("replaced", at, `type is ${types.join(", ")} instead of ${shown(value)}.`);
    }
    return listed(types);
  }

  #key(name: string): string {
    return this.#rules.keys?.get(name) ?? name;
  }

  #lose<T>(value: T, kind: "removed" | "replaced" | "cut", at: string, message: string): T {
    this.isLossy = true;
    this.#rules.report?.(kind, at, message);
    return value;
  }
}

function isOfKind(kind: Kind, value: unknown, { isPattern }: TidyRules): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "pattern":
      return typeof value === "string" && isPattern(value);
    case "number":
      return Number.isFinite(value);
    case "positive":
      return typeof value === "number" && Number.isFinite(value) && value > 0;
    case "count":
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case "flag":
      return typeof value === "boolean";
    case "values":
      return Array.isArray(value) && value.length > 0;
    default:
      return true;
  }
}

/** One type as itself, because some vendors read only strings. */
function listed(types: readonly string[]): string | readonly string[] {
  const [only] = types;
  return types.length === 1 && only !== undefined ? only : types;
}

function asSchema(schema: Schema | boolean): Schema {
  return typeof schema === "boolean" ? {} : schema;
}

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** A value in a message, which stays short. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
