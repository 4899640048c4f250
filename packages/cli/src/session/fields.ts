import { isRecord } from "@tenon/base";
import { tryCompile } from "@tenon/jsonschema/untrusted";

import { textOf, visibleLine } from "../output/escape.ts";

/** A property of a schema as a field of a form. */
export interface Field {
  readonly name: string;
  /** The title of the schema, or the name. */
  readonly label: string;
  /** The label and the description. */
  readonly title: string;
  readonly kind: "text" | "number" | "boolean" | "one" | "many" | "json";
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly initial: unknown;
  readonly isRequired: boolean;
  /** The values of the schema in a few words. `undefined` if the kind suffices. */
  readonly expected: string | undefined;
  /** The problem of a value, as a sentence; `undefined` for a valid value. */
  readonly problemOf: (value: unknown) => string | undefined;
}

/** The properties of an object's schema, and required values without a property, as fields. */
export function fieldsOf(schema: unknown): readonly Field[] {
  if (!isRecord(schema)) {
    return [];
  }
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly unknown[]) : [];
  const { $defs, definitions } = schema;
  const shared = {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  const others = required.filter(
    (name): name is string => typeof name === "string" && !Object.hasOwn(properties, name),
  );
  const all = [...Object.entries(properties), ...others.map((name) => [name, {}] as const)];
  return all.map(([name, property]) =>
    fieldOf(name, isRecord(property) ? property : {}, required.includes(name), shared),
  );
}

/** Compares values with the schema of a property and the definitions of the whole schema. */
function problemFinder(schema: Record<string, unknown>, shared: object): Field["problemOf"] {
  let attempt: ReturnType<typeof tryCompile> | undefined;
  return (value) => {
    attempt ??= tryCompile({ ...schema, ...shared });
    // The server compares the whole form again.
    const result = attempt.ok ? attempt.validator.check(value) : undefined;
    if (result === undefined || result.valid) {
      return undefined;
    }
    const [{ instanceLocation, message } = { instanceLocation: "", message: "" }] = result.errors;
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    return visibleLine(instanceLocation === "" ? sentence : `${instanceLocation.slice(1)}: ${message}`);
  };
}

function fieldOf(name: string, schema: Record<string, unknown>, isRequired: boolean, shared: object): Field {
  const { type, title, description, items } = schema;
  const label = typeof title === "string" ? title : name;
  const words = [label, description].filter((word) => typeof word === "string");
  const isMany = type === "array" && isRecord(items) && optionsOf(items).length > 0;
  const options = optionsOf(isMany ? items : schema);
  const kind = isMany ? "many" : options.length > 0 ? "one" : kindOf(type);
  return {
    name,
    label,
    title: words.join(": "),
    kind,
    options,
    initial: schema["default"],
    isRequired,
    expected: expectedOf(kind, schema),
    problemOf: problemFinder(schema, shared),
  };
}

function kindOf(type: unknown): Field["kind"] {
  switch (type) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "json";
  }
}

const formats: Readonly<Record<string, string>> = {
  date: "a date such as 2026-01-31",
  "date-time": "a time such as 2026-01-31T12:00:00Z",
  email: "an email address",
  uri: "a URL",
};

function expectedOf(kind: Field["kind"], schema: Record<string, unknown>): string | undefined {
  const { type, format, minimum, maximum, minLength, maxLength } = schema;
  switch (kind) {
    case "number": {
      const range = rangeOf(minimum, maximum);
      return `${type === "integer" ? "a whole number" : "a number"}${range === undefined ? "" : `, ${range}`}`;
    }
    case "text": {
      if (typeof format === "string" && Object.hasOwn(formats, format)) {
        return formats[format];
      }
      const range = rangeOf(minLength, maxLength);
      const isOne = (maxLength ?? minLength) === 1;
      return range === undefined ? undefined : `${range} character${isOne ? "" : "s"}`;
    }
    case "json":
      return "JSON";
    default:
      return undefined;
  }
}

function rangeOf(least: unknown, most: unknown): string | undefined {
  const [from, to] = [least, most].map((bound) => (typeof bound === "number" ? bound : undefined));
  if (from !== undefined && to !== undefined) {
    return from === to ? `exactly ${from}` : `${from} to ${to}`;
  }
  return from !== undefined ? `at least ${from}` : to !== undefined ? `at most ${to}` : undefined;
}

function optionsOf(schema: Record<string, unknown>): Field["options"] {
  const { enumNames } = schema;
  const labels: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled) && titled.every((each) => isRecord(each) && typeof each["const"] === "string")) {
    return (titled as readonly Record<string, unknown>[]).map((each) => ({
      value: String(each["const"]),
      label: textOf(each["title"] ?? each["const"]),
    }));
  }
  const values: readonly unknown[] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return values.every((value) => typeof value === "string")
    ? values.map((value, index) => ({ value, label: textOf(labels[index] ?? value) }))
    : [];
}
