// What OpenAI accepts, as data. Sources:
// - platform.openai.com/docs/guides/structured-outputs, "Supported schemas" (February to
//   November 2026): keywords, formats, limits of strict mode.
// - Error texts of the API: "schema must have type 'object' and not have
//   'oneOf'/'anyOf'/'allOf'/ 'enum'/'const'/'not' at the top level" (langchainjs#9804,
//   navop#247, 2026), "array schema missing items" (aichat#1049 2024 to fastmcp#2464 2025),
//   "object schema missing properties" (github-mcp-server#1548, 2025), "is not of type
//   'object', 'boolean'" (OpenManus#1162, 2025), "schema must have a 'type' key"
//   (odoo-llm#212), "$ref cannot have keywords {'description'}" (hindsight#3944, 2026-08),
//   "'uri' is not a valid format" (forgecode#2974, 2026-04), a pattern with lookaround
//   (oh-my-pi#2784, 2026-06), "string too long … maximum length 1024" for descriptions
//   (servers#799, 2025; Azure until today).
// - Images: png, jpeg, webp and gif (platform.openai.com/docs/guides/images-vision, 2026-11).

import { children, draftProblems, isObject, walk, type Problem, type Schema } from "./json-schema.ts";

const rules = {
  name: /^[a-zA-Z0-9_-]{1,64}$/,
  maxDescription: 1024,
  notAtRoot: ["$ref", "oneOf", "anyOf", "allOf", "enum", "const", "not"],
  lookaround: /\(\?<?[=!]/,
  image: /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/,
} as const;

const strictRules = {
  keywords: new Set([
    ...["type", "title", "description", "enum", "const", "anyOf", "$ref", "$defs", "properties", "required"],
    ...["additionalProperties", "items", "minItems", "maxItems", "pattern", "format", "multipleOf"],
    ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ]),
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
  maxDepth: 10,
  maxProperties: 5000,
  maxValues: 1000,
  maxCharacters: 120_000,
  longEnum: 250,
  maxLongEnum: 15_000,
} as const;

interface OpenAiFunction {
  readonly name: string;
  readonly description?: string;
  readonly parameters: Record<string, unknown>;
  readonly strict?: boolean | null;
}

/** Why OpenAI would refuse a function; empty if it would not. */
export function openAiProblems({ name, description = "", parameters, strict }: OpenAiFunction): Problem[] {
  const problems = draftProblems(parameters);
  if (!rules.name.test(name)) {
    problems.push(`name: ${name} does not match ${String(rules.name)}`);
  }
  if (description.length > rules.maxDescription) {
    problems.push(`description: string too long, ${description.length}`);
  }
  if (parameters["type"] !== "object" || rules.notAtRoot.some((keyword) => keyword in parameters)) {
    problems.push("schema must have type 'object' and no union at the top level");
  }
  walk(parameters, (schema, at) => {
    const types = [schema["type"]].flat();
    if (types.includes("array") && schema["items"] === undefined) {
      problems.push(`${at}: array schema missing items`);
    }
    if (types.includes("object") && schema["properties"] === undefined) {
      problems.push(`${at}: object schema missing properties`);
    }
    if (rules.lookaround.test((schema["pattern"] as string | undefined) ?? "")) {
      problems.push(`${at}: lookaround is not supported`);
    }
    if (Array.isArray(schema["enum"]) && schema["enum"].length === 0) {
      problems.push(`${at}: enum is empty`);
    }
  });
  return strict === true ? [...problems, ...strictProblems(parameters)] : problems;
}

function strictProblems(root: Schema): Problem[] {
  const problems: Problem[] = [];
  let [properties, values, characters] = [0, 0, 0];
  characters += Object.keys(root["$defs"] ?? {}).join("").length;
  walk(root, (schema, at) => {
    for (const keyword of Object.keys(schema)) {
      if (!strictRules.keywords.has(keyword)) {
        problems.push(`${at}: '${keyword}' is not permitted`);
      }
    }
    if (schema["$ref"] !== undefined && Object.keys(schema).length > 1) {
      problems.push(`${at}: $ref cannot have keywords ${Object.keys(schema).join()}`);
    }
    if (["type", "anyOf", "$ref"].every((keyword) => schema[keyword] === undefined)) {
      problems.push(`${at}: schema must have a 'type' key`);
    }
    if (schema["format"] !== undefined && !strictRules.formats.includes(schema["format"] as never)) {
      problems.push(`${at}: '${JSON.stringify(schema["format"])}' is not a valid format`);
    }
    if ([schema["type"]].flat().includes("object")) {
      const names = Object.keys(schema["properties"] ?? {});
      properties += names.length;
      characters += names.join("").length;
      if (schema["additionalProperties"] !== false) {
        problems.push(`${at}: 'additionalProperties' is required to be supplied and to be false`);
      }
      if (names.toSorted().join() !== [...((schema["required"] ?? []) as string[])].toSorted().join()) {
        problems.push(`${at}: 'required' must be an array including every key in properties`);
      }
    }
    for (const list of [schema["enum"], "const" in schema ? [schema["const"]] : undefined]) {
      const text = Array.isArray(list)
        ? list.filter((value) => typeof value === "string").join("").length
        : 0;
      values += Array.isArray(list) && list === schema["enum"] ? list.length : 0;
      characters += text;
      if (Array.isArray(list) && list.length > strictRules.longEnum && text > strictRules.maxLongEnum) {
        problems.push(`${at}: enum is too long`);
      }
    }
  });
  if (
    properties > strictRules.maxProperties ||
    values > strictRules.maxValues ||
    characters > strictRules.maxCharacters ||
    depthOf(root, root, new Map()) > strictRules.maxDepth
  ) {
    problems.push("the schema exceeds the limits of strict mode");
  }
  return problems;
}

/** Levels of objects and lists, also through references. A recursive one adds no level. */
function depthOf(schema: unknown, root: Schema, known: Map<string, number>): number {
  if (!isObject(schema)) {
    return 0;
  }
  const ref = schema["$ref"];
  if (typeof ref === "string") {
    if (!known.has(ref)) {
      known.set(ref, 0);
      known.set(ref, depthOf((root["$defs"] as Record<string, unknown>)[ref.slice(8)], root, known));
    }
    return known.get(ref) ?? 0;
  }
  const depths = children(schema, "")
    .filter(([place]) => !place.startsWith("/$defs"))
    .map(([place, child]) => (place.startsWith("/anyOf") ? 0 : 1) + depthOf(child, root, known));
  return Math.max(0, ...depths);
}

/** Why OpenAI would refuse the messages with a result. */
export function openAiResultProblems(value: unknown): Problem[] {
  const problems: Problem[] = [];
  JSON.stringify(value, (key, member: unknown) => {
    if ((key === "image_url" || key === "url") && typeof member === "string" && !rules.image.test(member)) {
      problems.push(`invalid image: ${member.slice(0, 60)}`);
    }
    if ((key === "output" || key === "content") && Array.isArray(member) && member.length === 0) {
      problems.push(`${key} is empty`);
    }
    if (typeof member === "string" && /\p{Surrogate}/u.test(member)) {
      problems.push("half of a character");
    }
    return member;
  });
  return problems;
}
