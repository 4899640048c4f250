import { isRecord } from "@tenon/base";
import { compile, type JSONSchema } from "@tenon/jsonschema";
import { createGenerator } from "@tenon/jsonschema/generate";

import { messageOf, visibleLine } from "../output/escape.ts";
import type { Findings } from "./finding.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A part of a schema, and its JSON pointer. */
interface Part {
  readonly at: string;
  readonly schema: Schema;
}

/** Parts of one schema that are checked, and their maximum depth. */
const maxParts = 2_000;
const maxDepth = 32;
/** Parts of one schema for which values are generated. */
const maxGenerated = 40;

/** Checks the input or the output schema of a tool. */
export function checkSchema(
  name: string,
  kind: "input" | "output",
  schema: unknown,
  findings: Findings,
): void {
  const where = `The ${kind} schema of ${name}`;
  if (!isRecord(schema) || (kind === "input" && schema["type"] !== "object")) {
    findings.fail(
      "schemas",
      `${where} must be an object schema with "type": "object".`,
      'wrap the arguments: { "type": "object", "properties": { … } }',
    );
    return;
  }
  try {
    compile(schema as JSONSchema, { untrusted: true });
  } catch (error) {
    findings.fail(
      "schemas",
      `${where} is not valid: ${visibleLine(messageOf(error))}`,
      "correct the schema; JSON Schema 2020-12 applies unless $schema names another dialect",
    );
    return;
  }
  const parts = partsOf(schema);
  checkRequired(where, parts, findings);
  checkValues(where, schema, parts, findings);
  for (const { at, schema: part } of parts) {
    if (typeof part["pattern"] === "string" && isSlow(part["pattern"])) {
      findings.warn(
        "schemas",
        `${where} has a pattern at ${at} that repeats a repetition: ${visibleLine(part["pattern"])}`,
        "write it with one repetition: validators may need years for a short text",
      );
    }
  }
  const combined = ["anyOf", "oneOf", "allOf"].filter((each) => Object.hasOwn(schema, each));
  if (kind === "input" && combined.length > 0) {
    findings.note(
      "schemas",
      `${where} has ${combined.join(", ")} at its root, which some vendors of models reject.`,
      "describe one object, and combine inside of its properties",
    );
  }
}

/** The names of arguments without a description. */
export function undescribedIn(schema: unknown): readonly string[] {
  const properties = isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).flatMap(([name, each]) =>
    isRecord(each) && each["description"] === undefined ? [visibleLine(name)] : [],
  );
}

/** A schema and the schemas of its properties and items, without alternatives and conditions. */
function partsOf(root: Schema): readonly Part[] {
  const parts: Part[] = [];
  const add = (schema: unknown, at: string, depth: number): void => {
    if (!isRecord(schema) || depth > maxDepth || parts.length >= maxParts) {
      return;
    }
    parts.push({ at: at === "" ? "its root" : at, schema });
    for (const holder of ["properties", "$defs", "definitions"]) {
      const members = schema[holder];
      for (const [name, member] of Object.entries(isRecord(members) ? members : {})) {
        add(member, `${at}/${holder}/${visibleLine(name)}`, depth + 1);
      }
    }
    for (const holder of ["items", "additionalProperties"]) {
      add(schema[holder], `${at}/${holder}`, depth + 1);
    }
  };
  add(root, "", 0);
  return parts;
}

/** Keywords by which a schema may describe a property elsewhere. */
const describers = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "if"];

function checkRequired(where: string, parts: readonly Part[], findings: Findings): void {
  for (const { at, schema } of parts) {
    const { properties, required, additionalProperties } = schema;
    if (!Array.isArray(required) || describers.some((keyword) => Object.hasOwn(schema, keyword))) {
      continue;
    }
    const known = isRecord(properties) ? properties : {};
    const missing = required.filter((name) => typeof name !== "string" || !Object.hasOwn(known, name));
    if (missing.length === 0) {
      continue;
    }
    const names = missing.map((each) => visibleLine(JSON.stringify(each))).join(", ");
    const place = at === "its root" ? "" : ` at ${at}`;
    if (additionalProperties === false) {
      findings.fail(
        "schemas",
        `${where} requires ${names}${place}, which it does not allow.`,
        "describe the property, or do not require it",
      );
    } else if (!isRecord(additionalProperties)) {
      findings.warn(
        "schemas",
        `${where} requires ${names}${place}, which its properties do not describe.`,
        "describe the property, or do not require it: models must guess it",
      );
    }
  }
}

const bounds: readonly (readonly [low: string, high: string])[] = [
  ["minimum", "maximum"],
  ["exclusiveMinimum", "maximum"],
  ["minimum", "exclusiveMaximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
];

/** Keywords whose values cannot always be generated. */
const ungenerated =
  /"(?:pattern|format|not|uniqueItems|contains|\$ref|\$dynamicRef|patternProperties|propertyNames|multipleOf|unevaluated\w+|dependent\w+|if)":/;

/** Finds parts that allow no value, and defaults and examples that a part does not allow. */
function checkValues(where: string, root: Schema, parts: readonly Part[], findings: Findings): void {
  let generated = 0;
  let isEmpty = false;
  // The inner parts first: a part that allows nothing makes the parts around it empty too.
  for (const { at, schema } of parts.toReversed()) {
    const contradiction = contradictionOf(schema);
    if (contradiction !== undefined) {
      isEmpty = true;
      const advice = "correct the limits";
      findings.fail("schemas", `${where} allows no value at ${at}: ${contradiction}.`, advice);
      continue;
    }
    const whole = inContext(root, schema);
    if ("default" in schema && !allows(whole, schema["default"])) {
      const value = visibleLine(JSON.stringify(schema["default"]) ?? "").slice(0, 80);
      findings.warn(
        "schemas",
        `${where} does not allow its own default at ${at}: ${value}`,
        "correct the default: forms and models send it",
      );
    }
    if (!isEmpty && generated++ < maxGenerated && !ungenerated.test(JSON.stringify(schema))) {
      if (createGenerator(schema).valid().length === 0) {
        isEmpty = true;
        findings.warn(
          "schemas",
          `${where} seems to allow no value at ${at}: its keywords contradict each other.`,
          "look for limits that no value keeps",
        );
      }
    }
  }
}

function contradictionOf(schema: Schema): string | undefined {
  if (Array.isArray(schema["enum"]) && schema["enum"].length === 0) {
    return "enum is empty";
  }
  const broken = bounds.find(([low, high]) => {
    const [least, most] = [schema[low], schema[high]];
    return typeof least === "number" && typeof most === "number" && least > most;
  });
  return broken === undefined
    ? undefined
    : `${broken[0]} ${schema[broken[0]] as number} is above ${broken[1]} ${schema[broken[1]] as number}`;
}

/** A part with the definitions of its root, to which it may refer. */
function inContext(root: Schema, part: Schema): Schema {
  const shared = ["$schema", "$defs", "definitions"].filter((name) => Object.hasOwn(root, name));
  return { ...part, ...Object.fromEntries(shared.map((name) => [name, root[name]])) };
}

function allows(schema: Schema, value: unknown): boolean {
  try {
    return compile(schema as JSONSchema, { untrusted: true }).check(value).valid;
  } catch {
    // It refers to a part that it does not have without its root.
    return true;
  }
}

const atom = String.raw`(?:\[(?:[^\]\\]|\\.)*\]|\\.|[^()\\[\]|*+?])`;
const nested = new RegExp(String.raw`\((?:\?:)?${atom}[*+](?:${atom}[*?])?\)(?:[*+]|\{\d*,\})`);

/** Whether a pattern repeats a repetition without a separator, such as `(a+)+`. */
export function isSlow(pattern: string): boolean {
  return nested.test(pattern);
}
