// What Gemini accepts, as data: AI Studio and Vertex. Sources:
// - ai.google.dev/api/caching#Schema and
//   cloud.google.com/vertex-ai/…/rest/v1beta1/FunctionDeclaration (2026-11), and the types of
//   @google/genai 1.52: properties of a Schema, names of functions and parameters, formats.
// - Error texts: "schema didn't specify the schema type field" (new-api#3022, 2026-02), "type:
//   must be specified when not using one_of, any_of or all_of fields" (LibreChat#6971), "When
//   using any_of, it must be the only field set" (opencode#15795, 2026-03; ai-memory#735,
//   2026-09), "items: missing field", "enum: only allowed for STRING type" (9router#359,
//   2026-03), "enum[1]: cannot be empty" (ha-claude#32, 2026-03), "required: property is not
//   defined" (kilocode#11955, 2026-07), "properties: should be non-empty for OBJECT type"
//   (lobehub#5002, of the root), 'Unknown name "propertyNames"' (code_puppy#923, 2026-09).
// - Media: ai.google.dev/gemini-api/docs, images, audio, video and documents (2026-11).

import { isObject, textProblems, type Problem, type Schema } from "./json-schema.ts";

const rules = {
  name: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
  key: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  types: ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"],
  fields: new Set([
    ...["type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties"],
    ...[
      "required",
      "minProperties",
      "maxProperties",
      "minLength",
      "maxLength",
      "pattern",
      "example",
      "anyOf",
    ],
    ...["propertyOrdering", "default", "items", "minimum", "maximum"],
  ]),
  formats: {
    STRING: ["enum", "date-time"],
    NUMBER: ["float", "double"],
    INTEGER: ["int32", "int64"],
  } as Readonly<Record<string, readonly string[]>>,
  maxDepth: 64,
  media: new RegExp(
    "^(?:image/(?:png|jpeg|webp|heic|heif)|audio/(?:wav|mp3|aiff|aac|ogg|flac|mpeg)" +
      "|video/(?:mp4|mpeg|mov|avi|x-flv|mpg|webm|wmv|3gpp|quicktime)|application/pdf|text/plain)$",
  ),
  data: /^[A-Za-z0-9+/]+={0,2}$/,
} as const;

/** Why Gemini would refuse a function; empty if it would not. */
export function geminiProblems({ name, parameters }: { name: string; parameters?: Schema }): Problem[] {
  const problems = [...textProblems(parameters ?? {}), ...(rules.name.test(name) ? [] : [`name: ${name}`])];
  if (parameters !== undefined) {
    if (parameters["type"] !== "OBJECT" || Object.keys(parameters["properties"] ?? {}).length === 0) {
      problems.push("parameters.properties: should be non-empty for OBJECT type");
    }
    check(parameters, "parameters", 0, problems);
  }
  return problems;
}

function check(schema: unknown, at: string, depth: number, problems: Problem[]): void {
  if (!isObject(schema) || depth > rules.maxDepth) {
    problems.push(`${at}: ${JSON.stringify(schema)?.slice(0, 60)} is not a schema`);
    return;
  }
  const { type, anyOf, items, properties, required, format, enum: values } = schema;
  for (const field of Object.keys(schema).filter((one) => !rules.fields.has(one))) {
    problems.push(`${at}: Unknown name "${field}": Cannot find field.`);
  }
  if (anyOf !== undefined) {
    if (Object.keys(schema).length > 1) {
      problems.push(`${at}: When using any_of, it must be the only field set.`);
    }
    const branches = Array.isArray(anyOf) ? anyOf : [];
    if (branches.length === 0) {
      problems.push(`${at}: any_of is empty`);
    }
    branches.forEach((branch, index) => check(branch, `${at}.anyOf[${index}]`, depth + 1, problems));
    return;
  }
  if (!rules.types.includes(type as never)) {
    problems.push(`${at}: schema didn't specify the schema type field; got ${JSON.stringify(type)}`);
  }
  if (values !== undefined) {
    const isTexts =
      Array.isArray(values) &&
      values.length > 0 &&
      values.every((value) => typeof value === "string" && value !== "");
    if (type !== "STRING" || !isTexts) {
      problems.push(`${at}.enum: only allowed for STRING type, and no value can be empty`);
    }
  }
  if (format !== undefined && rules.formats[String(type)]?.includes(format as string) !== true) {
    problems.push(`${at}.format: ${JSON.stringify(format)} is not supported for ${String(type)}`);
  }
  if (type === "ARRAY") {
    if (items === undefined) {
      problems.push(`${at}.items: missing field.`);
    } else {
      check(items, `${at}.items`, depth + 1, problems);
    }
  }
  for (const [name, member] of Object.entries(properties ?? {})) {
    if (!rules.key.test(name)) {
      problems.push(`${at}.properties: invalid parameter name ${name}`);
    }
    check(member, `${at}.properties[${name}]`, depth + 1, problems);
  }
  for (const name of (required ?? []) as string[]) {
    if (!Object.hasOwn(properties ?? {}, name)) {
      problems.push(`${at}.required: property ${name} is not defined`);
    }
  }
}

/** Why Gemini would refuse the parts with a result. */
export function geminiResultProblems(parts: readonly object[]): Problem[] {
  return parts.flatMap((part): Problem[] => {
    if ("inlineData" in part) {
      const { mimeType, data } = part.inlineData as { mimeType: string; data: string };
      return [
        ...(rules.media.test(mimeType) ? [] : [`unsupported MIME type: ${mimeType}`]),
        ...(rules.data.test(data) && data.length % 4 === 0 ? [] : [`invalid base64 of ${mimeType}`]),
      ];
    }
    const { response } = (part as { functionResponse: { response: unknown } }).functionResponse;
    return isObject(response) ? [] : ["function_response.response: must be an object"];
  });
}
