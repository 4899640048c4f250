import { faultOfDialect, faultOfKeywords } from "./check-schema.ts";
import type { SchemaFault } from "./check-schema.ts";
import { CodegenError } from "./error.ts";
import { escapePointer, isSchema, mapChildren, sorted } from "./schema.ts";
import type { Definitions, Schema, SchemaDocument } from "./schema.ts";

/**
 * Parses a schema document and checks that it is one: a JSON object with `$schema` and definitions
 * whose references all lead somewhere. References come out as `#/$defs/…` whatever the dialect, so
 * that revisions can be compared.
 *
 * @throws CodegenError `invalid_document` with the JSON pointer of the offending node.
 */
export function parseDocument(text: string, source: string): SchemaDocument {
  const document = parseJson(text, source);
  const dialect = document["$schema"];
  if (typeof dialect !== "string") {
    throw invalid(source, "#/$schema", "expected the dialect's URI as a string");
  }
  refuse(faultOfDialect(dialect), source);
  const container = isSchema(document["$defs"]) ? "$defs" : "definitions";
  const found = document[container];
  if (!isSchema(found)) {
    throw invalid(source, "#", "expected an object of definitions under $defs or definitions");
  }
  const definitions: Definitions = {};
  const walk: Walk = { all: found, source, unknown: [] };
  for (const [name, schema] of sorted(found)) {
    const pointer = `#/${container}/${escapePointer(name)}`;
    if (!isSchema(schema)) {
      throw invalid(source, pointer, "expected a schema object");
    }
    definitions[name] = checked(schema, pointer, walk);
  }
  if (walk.unknown.length > 0) {
    throw unknownKeywords(walk);
  }
  refuse(faultOfKeywords({ dialect, container, definitions }), source);
  return { dialect, container, definitions };
}

/** A walk through the schemas of a document. */
interface Walk {
  /** All definitions, by name. */
  readonly all: Schema;
  readonly source: string;
  /** JSON pointers of keywords that the generator does not know, in order. */
  readonly unknown: string[];
}

function refuse(fault: SchemaFault | undefined, source: string): void {
  if (fault !== undefined) {
    throw invalid(source, fault.pointer, fault.message);
  }
}

/** Maximum number of unknown keywords in a message. */
const maxListed = 100;

function unknownKeywords({ source, unknown }: Walk): CodegenError {
  const more = unknown.length - maxListed;
  const lines = [
    ...unknown
      .slice(0, maxListed)
      .map((pointer) => `${source} ${pointer}: the generator does not know this keyword`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  return new CodegenError("invalid_document", lines.join("\n"));
}

/** Order in which the keywords of a node are written; the rest follows by name. */
const keywordOrder = ["$ref", "description", "type", "const", "enum", "properties", "required"];

/**
 * The document as text: definitions, fields and keywords in a fixed order, two spaces, one newline
 * at the end.
 */
export function printDocument(document: SchemaDocument, comment: string): string {
  const definitions = sorted(document.definitions).map(([name, schema]) => [
    name,
    ordered(schema, document.container),
  ]);
  const out = {
    $schema: document.dialect,
    $comment: comment,
    [document.container]: Object.fromEntries(definitions),
  };
  return `${JSON.stringify(out, null, 2)}\n`;
}

function ordered(schema: Schema, container: string): Schema {
  const children = mapChildren(schema, (child) => ordered(child, container));
  const keys = Object.keys(children).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, reference(key, children[key], container)]));
}

function rank(keyword: string): number {
  const index = keywordOrder.indexOf(keyword);
  return index < 0 ? keywordOrder.length : index;
}

function reference(keyword: string, value: unknown, container: string): unknown {
  return keyword === "$ref" && typeof value === "string"
    ? value.replace(/^#\/\$defs\//, `#/${container}/`)
    : value;
}

function checked(schema: Schema, pointer: string, walk: Walk): Schema {
  const out: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    out[keyword] = checkedKeyword(keyword, value, `${pointer}/${escapePointer(keyword)}`, walk);
  }
  return out;
}

function checkedKeyword(keyword: string, value: unknown, pointer: string, walk: Walk): unknown {
  const { source } = walk;
  if (keyword === "$ref") {
    return checkedReference(value, pointer, walk);
  }
  if (keyword === "properties") {
    if (!isSchema(value)) {
      throw invalid(source, pointer, "expected an object of schemas");
    }
    return Object.fromEntries(
      sorted(value).map(([name, child]) => {
        const at = `${pointer}/${escapePointer(name)}`;
        if (!isSchema(child)) {
          throw invalid(source, at, "expected a schema object");
        }
        return [name, checked(child, at, walk)];
      }),
    );
  }
  if (keyword === "additionalProperties" && typeof value === "boolean") {
    return value;
  }
  if (keyword === "items" || keyword === "additionalProperties") {
    if (!isSchema(value)) {
      throw invalid(source, pointer, "expected a schema object");
    }
    return checked(value, pointer, walk);
  }
  if (keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf") {
    if (!Array.isArray(value) || value.length === 0) {
      throw invalid(source, pointer, "expected a list of schemas");
    }
    return value.map((child: unknown, index) => {
      if (!isSchema(child)) {
        throw invalid(source, `${pointer}/${index}`, "expected a schema object");
      }
      return checked(child, `${pointer}/${index}`, walk);
    });
  }
  if (!plainKeywords.has(keyword)) {
    walk.unknown.push(pointer);
  }
  return value;
}

function checkedReference(value: unknown, pointer: string, { all, source }: Walk): string {
  const name =
    typeof value === "string" ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(value)?.[1] : undefined;
  if (name === undefined) {
    throw invalid(source, pointer, "expected a reference to a definition of this document");
  }
  if (!Object.hasOwn(all, name)) {
    throw invalid(source, pointer, `there is no definition ${name}`);
  }
  return `#/$defs/${name}`;
}

const plainKeywords = new Set(
  [
    "type",
    "const",
    "enum",
    "required",
    "description",
    "$comment",
    "title",
    "examples",
    "default",
    "deprecated",
    "format",
  ].concat(
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern"],
    ["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
  ),
);

function parseJson(text: string, source: string): Schema {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CodegenError("invalid_document", `${source}: not JSON`, { cause });
  }
  if (!isSchema(value)) {
    throw invalid(source, "#", "expected a JSON object");
  }
  return value;
}

function invalid(source: string, pointer: string, message: string): CodegenError {
  return new CodegenError("invalid_document", `${source} ${pointer}: ${message}`);
}
