import {
  aBoolean,
  aCount,
  aDivisor,
  anArray,
  anObject,
  aNumber,
  aString,
  malformed,
  notASchema,
  schemas,
  strings,
  types,
  type Shape,
} from "../ir/keyword-shape.ts";
import { escapeToken } from "../reference/pointer.ts";
import { nativePattern } from "../regex/native.ts";
import type { JSONSchema, RawSchema } from "../schema.ts";
import { isMembers } from "../value/members.ts";

/** The facts of a schema that are known before its references are resolved. */
export interface Reading {
  /** Whether `flatCheck` and `flatDefaults` know all of its keywords. */
  readonly isFlat: boolean;
  /** Whether the schema is known to be valid. If not, only the compiler can tell. */
  readonly isDecided: boolean;
}

/**
 * With at most so many subschemas, and characters in a pattern, a schema exceeds none of the
 * limits.
 */
const maxSubschemas = 256;
const maxPattern = 1_000;

/** A keyword that holds one schema. */
const aSchema: Shape = ["", () => true];

/** The facts of a keyword of draft 2020-12. */
interface Known {
  readonly shape: Shape;
  /** Whether flat schemas may have it. */
  readonly isFlat: boolean;
}

/** The keywords that can be checked without resolving anything. */
const known = /* @__PURE__ */ new Map<string, Known>([
  ...rowOf(types, "type"),
  ...rowOf(anArray, "enum"),
  ...rowOf(aNumber, "minimum maximum exclusiveMinimum exclusiveMaximum"),
  ...rowOf(aDivisor, "", "multipleOf"),
  ...rowOf(
    aCount,
    "minLength maxLength minItems maxItems",
    "minContains maxContains minProperties maxProperties",
  ),
  ...rowOf(aBoolean, "", "uniqueItems"),
  ...rowOf(strings, "required"),
  ...rowOf(aString, "pattern format"),
  ...rowOf(schemas, "anyOf", "allOf oneOf prefixItems"),
  ...rowOf(anObject, "properties", "patternProperties dependentSchemas"),
  ...rowOf(
    aSchema,
    "items additionalProperties",
    "not if then else contains propertyNames unevaluatedItems unevaluatedProperties",
  ),
]);

/** Identifiers, references and definitions, and keywords that are not the same in all drafts. */
const opaque =
  /^(\$(?!schema$|comment$)|definitions$|dependen(cies|tRequired)$|additionalItems$|contentSchema$)/;

const standard = /^https?:\/\/json-schema\.org\/draft(\/20(20-12|19-09)|-07)\/schema#?$/;

/**
 * Checks the values of the keywords of a schema.
 *
 * @throws SchemaError with the code, location and message that the compiler gives it
 */
export function readFlat(schema: JSONSchema): Reading {
  const open: (readonly [schema: RawSchema, pointer: string])[] = [];
  const { $schema: dialect } = schema as RawSchema;
  const isNewest = dialect === undefined || (typeof dialect === "string" && dialect.includes("2020"));
  let count = 0;
  let isDecided = dialect === undefined || (typeof dialect === "string" && standard.test(dialect));
  let isFlat = isDecided;

  /** @param mayFill - whether a `default` in the schema is for a property of the root */
  function visit(part: unknown, pointer: string, mayFill = false): void {
    if (typeof part === "boolean") {
      return;
    }
    if (!isMembers(part)) {
      throw notASchema(`#${pointer}`);
    }
    isFlat &&= part["default"] === undefined || (mayFill && isPlain(part["default"]));
    if (++count > maxSubschemas || "$id" in part || "$ref" in part) {
      isDecided = false;
    } else {
      open.push([part, pointer]);
    }
  }

  function visitPattern(source: string, location: string): void {
    if (source.length > maxPattern) {
      isDecided = false;
    } else {
      nativePattern(source, location);
    }
  }

  function read(keyword: string, value: unknown, pointer: string): void {
    const found = known.get(keyword);
    if (found === undefined) {
      isDecided &&= !opaque.test(keyword);
      return;
    }
    const { shape, isFlat: mayBeFlat } = found;
    isFlat &&= mayBeFlat;
    if (!isNewest && (!mayBeFlat || (keyword === "items" && Array.isArray(value)))) {
      isDecided = false;
      return;
    }
    if (!shape[1](value)) {
      throw malformed(shape, keyword, `#${pointer}/${keyword}`);
    }
    descend(shape, keyword, value, pointer);
  }

  function descend(shape: Shape, keyword: string, value: unknown, pointer: string): void {
    if (shape === aSchema) {
      visit(value, `${pointer}/${keyword}`);
    } else if (shape === schemas) {
      for (const [i, part] of (value as unknown[]).entries()) {
        visit(part, `${pointer}/${keyword}/${i}`);
      }
    } else if (shape === anObject) {
      const parts = value as RawSchema;
      const names = Object.keys(parts);
      for (const name of names) {
        const mayFill = pointer === "" && keyword === "properties" && name !== "__proto__";
        visit(parts[name], `${pointer}/${keyword}/${escapeToken(name)}`, mayFill);
      }
      if (keyword === "patternProperties") {
        for (const name of names) {
          visitPattern(name, `#${pointer}/${keyword}/${escapeToken(name)}`);
        }
      }
    } else if (keyword === "pattern") {
      visitPattern(value as string, `#${pointer}/${keyword}`);
    } else if (keyword === "enum") {
      isFlat &&= (value as unknown[]).every(isPlain);
    }
  }

  if (isDecided) {
    visit(schema, "");
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [keywords, pointer] = next;
    for (const keyword of Object.keys(keywords)) {
      const value = keywords[keyword];
      if (value !== undefined) {
        read(keyword, value, pointer);
      }
    }
    isFlat &&= isPlain(keywords["const"]);
  }
  return { isFlat: isFlat && isDecided, isDecided };
}

function rowOf(shape: Shape, flat: string, others = ""): (readonly [string, Known])[] {
  const row = (keywords: string, isFlat: boolean): (readonly [string, Known])[] =>
    (keywords.match(/\S+/g) ?? []).map((keyword) => [keyword, { shape, isFlat }] as const);
  return [...row(flat, true), ...row(others, false)];
}

/** True for a value of one piece. */
function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
