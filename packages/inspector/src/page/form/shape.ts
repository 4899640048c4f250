/** A JSON Schema as an object; `true` and `false` are read as `{}` and `{ not: {} }`. */
export type Schema = Readonly<Record<string, unknown>>;

/** A choice of a select. */
export interface Option {
  readonly title: string;
  readonly value: unknown;
}

/** A property of an object. */
export interface Property {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The elements of a form for a schema. */
export type Shape =
  | { readonly kind: "const"; readonly value: unknown }
  | { readonly kind: "choice"; readonly options: readonly Option[] }
  | {
      readonly kind: "union";
      readonly branches: readonly { readonly title: string; readonly schema: Schema }[];
    }
  | {
      readonly kind: "object";
      readonly properties: readonly Property[];
      readonly additional: Schema | undefined;
    }
  | { readonly kind: "array"; readonly prefix: readonly Schema[]; readonly items: Schema | undefined }
  | { readonly kind: "many"; readonly options: readonly Option[] }
  | { readonly kind: "string"; readonly input: string; readonly isLong: boolean }
  | { readonly kind: "number"; readonly isInteger: boolean }
  | { readonly kind: "boolean" | "null" | "any" };

const maxSteps = 32;
/** The maximum depth of `$ref` and `allOf` in one place. */
const maxNesting = 64;
/**
 * The maximum number of subschemas of one shape or value. A schema can refer to itself, and a
 * short schema can refer to millions of subschemas. Further subschemas allow any JSON.
 */
const maxFollowed = 2000;

/** How many subschemas may still be followed. */
interface Budget {
  left: number;
}

const newBudget = (): Budget => ({ left: maxFollowed });

/** A part of a URI without its escapes; unchanged if they are not valid. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A subschema as an object. */
export function asSchema(value: unknown): Schema {
  if (value === false) {
    return { not: {} };
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

function pointed(root: Schema, pointer: string): unknown {
  let at: unknown = root;
  for (const part of pointer.split("/").slice(1)) {
    const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  }
  return at;
}

function anchored(root: Schema, name: string): unknown {
  const definitions = asSchema(root["$defs"] ?? root["definitions"]);
  return Object.values(definitions).find((one) => asSchema(one)["$anchor"] === name);
}

/** A schema with its local `$ref` followed, and its `allOf` merged in as far as forms need it. */
export function resolve(schema: unknown, root: Schema, budget: Budget = newBudget(), depth = 0): Schema {
  if (depth > maxNesting || budget.left-- <= 0) {
    return {};
  }
  let found = asSchema(schema);
  for (let step = 0; step < maxSteps; step++) {
    const { $ref: target, ...beside } = found;
    if (typeof target !== "string") {
      break;
    }
    if (!target.startsWith("#")) {
      return beside;
    }
    const referred =
      target === "#" || target.startsWith("#/") ? pointed(root, target) : anchored(root, target.slice(1));
    found = { ...asSchema(referred), ...beside };
  }
  return Array.isArray(found["allOf"]) ? mergeAll(found, root, budget, depth) : found;
}

function mergeAll(schema: Schema, root: Schema, budget: Budget, depth: number): Schema {
  const { allOf, ...own } = schema;
  let merged: Schema = own;
  for (const part of allOf as unknown[]) {
    const { properties, required, ...rest } = resolve(part, root, budget, depth + 1);
    merged = {
      ...rest,
      ...merged,
      properties: {
        ...asSchema(merged["properties"]),
        ...asSchema(properties),
        ...asSchema(own["properties"]),
      },
      required: [...listOf(merged["required"]), ...listOf(required)],
    };
  }
  return merged;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The elements of a form for a resolved schema. */
export function shapeOf(schema: Schema, root: Schema, budget: Budget = newBudget()): Shape {
  if ("const" in schema) {
    return { kind: "const", value: schema["const"] };
  }
  const options = optionsOf(schema, root, budget);
  if (options !== undefined) {
    return { kind: "choice", options };
  }
  const branches = branchesOf(schema, root, budget);
  if (branches.length > 1) {
    return { kind: "union", branches };
  }
  const single = branches[0];
  return single === undefined
    ? typedShape(schema, root, budget)
    : shapeOf(resolve(single.schema, root, budget), root, budget);
}

function optionsOf(schema: Schema, root: Schema, budget: Budget): readonly Option[] | undefined {
  const names = listOf(schema["enumNames"]);
  if (Array.isArray(schema["enum"])) {
    return schema["enum"].map((value: unknown, index) => ({
      title: text(names[index] ?? value),
      value,
    }));
  }
  const list = listOf(schema["oneOf"] ?? schema["anyOf"]).map((one) => resolve(one, root, budget));
  return list.length > 0 && list.every((one) => "const" in one)
    ? list.map((one) => ({ title: text(one["title"] ?? one["const"]), value: one["const"] }))
    : undefined;
}

function branchesOf(schema: Schema, root: Schema, budget: Budget): { title: string; schema: Schema }[] {
  const { oneOf, anyOf, ...own } = schema;
  const list = listOf(oneOf ?? anyOf);
  if (list.length > 0) {
    return list.map((branch, index) => {
      const resolved = resolve(branch, root, budget);
      const whole =
        "properties" in own
          ? mergeAll({ ...own, title: resolved["title"], allOf: [resolved] }, root, budget, 0)
          : resolved;
      return { title: titleOf(resolved, root, budget, index), schema: whole };
    });
  }
  return Array.isArray(own["type"])
    ? own["type"].map((type: unknown) => ({ title: text(type), schema: { ...own, type } }))
    : [];
}

function titleOf(schema: Schema, root: Schema, budget: Budget, index: number): string {
  if (typeof schema["title"] === "string") {
    return schema["title"];
  }
  for (const [name, property] of Object.entries(asSchema(schema["properties"]))) {
    const fixed = resolve(property, root, budget)["const"];
    if (fixed !== undefined) {
      return `${name}: ${text(fixed)}`;
    }
  }
  return typeof schema["type"] === "string" ? schema["type"] : `choice ${index + 1}`;
}

const inputTypes: Readonly<Record<string, string>> = {
  date: "date",
  time: "text",
  "date-time": "text",
  email: "email",
  uri: "url",
};

function typedShape(schema: Schema, root: Schema, budget: Budget): Shape {
  switch (schema["type"] ?? guessedType(schema)) {
    case "object": {
      const required = listOf(schema["required"]);
      const properties = Object.entries(asSchema(schema["properties"])).map(([name, property]) => ({
        name,
        schema: resolve(property, root, budget),
        required: required.includes(name),
      }));
      const { additionalProperties } = schema;
      return {
        kind: "object",
        properties,
        additional:
          additionalProperties === false || (properties.length > 0 && additionalProperties === undefined)
            ? undefined
            : asSchema(additionalProperties),
      };
    }
    case "array": {
      const { items } = schema;
      const options =
        schema["uniqueItems"] === true ? optionsOf(resolve(items, root, budget), root, budget) : undefined;
      return options === undefined
        ? {
            kind: "array",
            prefix: listOf(schema["prefixItems"]).map(asSchema),
            items: items === false ? undefined : asSchema(items),
          }
        : { kind: "many", options };
    }
    case "string": {
      const format = text(schema["format"] ?? "");
      const input =
        schema["writeOnly"] === true || format === "password" ? "password" : (inputTypes[format] ?? "text");
      const most = schema["maxLength"];
      const isShort =
        schema["pattern"] !== undefined || format !== "" || (typeof most === "number" && most <= 120);
      return {
        kind: "string",
        input,
        isLong:
          !isShort &&
          (typeof most === "number" || longName.test(text(schema["title"] ?? schema["description"] ?? ""))),
      };
    }
    case "number":
    case "integer":
      return { kind: "number", isInteger: schema["type"] === "integer" };
    case "boolean":
      return { kind: "boolean" };
    case "null":
      return { kind: "null" };
    default:
      return { kind: "any" };
  }
}

const longName = /\b(?:text|message|body|content|query|code|markdown|prompt)\b/i;

function guessedType(schema: Schema): string | undefined {
  return "properties" in schema
    ? "object"
    : "items" in schema || "prefixItems" in schema
      ? "array"
      : undefined;
}

/**
 * The value that a form starts with; `undefined` for a value that the person has to give.
 *
 * @param depth - How deep the value is in the form.
 * @param isAdded - Whether the person has added the value. An added text is empty, not absent.
 */
export function initialOf(
  schema: unknown,
  root: Schema,
  depth = 0,
  isAdded = false,
  budget: Budget = newBudget(),
): unknown {
  const resolved = resolve(schema, root, budget);
  if ("default" in resolved) {
    return resolved["default"];
  }
  const shape = shapeOf(resolved, root, budget);
  if (depth > 12) {
    return undefined;
  }
  const inner = (part: unknown, added = false): unknown => initialOf(part, root, depth + 1, added, budget);
  switch (shape.kind) {
    case "const":
      return shape.value;
    case "union":
      return inner(shape.branches[0]?.schema, isAdded);
    case "object":
      return Object.fromEntries(
        shape.properties
          .filter(({ required, schema: property }) => required || "default" in property)
          .map(({ name, schema: property }) => [name, inner(property)]),
      );
    case "array": {
      const least = Number(resolved["minItems"] ?? 0);
      return shape.prefix
        .map((item) => inner(item))
        .concat(
          Array.from({ length: Math.min(20, Math.max(0, least - shape.prefix.length)) }, () =>
            inner(shape.items),
          ),
        );
    }
    case "many":
      return [];
    case "string":
      return isAdded ? "" : undefined;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return undefined;
  }
}

/** The value of a property or an item that the person adds. */
export function addedOf(schema: unknown, root: Schema): unknown {
  return initialOf(schema, root, 0, true) ?? null;
}

/** The branch of a union that a value belongs to. */
export function branchFor(
  value: unknown,
  branches: readonly { readonly schema: Schema }[],
  root: Schema,
): number {
  const budget = newBudget();
  const found = branches.findIndex(({ schema }) => fits(value, resolve(schema, root, budget), root, budget));
  return Math.max(0, found);
}

function fits(value: unknown, schema: Schema, root: Schema, budget: Budget): boolean {
  const shape = shapeOf(schema, root, budget);
  switch (shape.kind) {
    case "object":
      return (
        typeof value === "object" &&
        value !== null &&
        !Array.isArray(value) &&
        shape.properties.every(({ name, required, schema: property }) => {
          const given = (value as Record<string, unknown>)[name];
          return given === undefined ? !required : !("const" in property) || property["const"] === given;
        })
      );
    case "array":
    case "many":
      return Array.isArray(value);
    case "const":
      return text(value) === text(shape.value);
    case "choice":
      return shape.options.some((option) => text(option.value) === text(value));
    case "union":
      return shape.branches.some((branch) => fits(value, resolve(branch.schema, root, budget), root, budget));
    case "null":
      return value === null;
    case "any":
      return true;
    default:
      return typeof value === shape.kind;
  }
}

/** A JSON value as text for comparison and display. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
