import { isRecord } from "@tenon/base";
import { mediaType as parseMediaType } from "@tenon/http/client";

import { partsOf } from "../document/parts.ts";
import type { Pointers } from "../document/pointer.ts";
import { listOf, membersOf, present, textOf, type Members } from "../document/values.ts";
import type { Body, BodyKind } from "./operation.ts";
import { examplesOf, formEncodingOf, swaggerSchema } from "./read-parameter.ts";

/** Kinds in the order of preference. */
const preference: readonly BodyKind[] = ["json", "form", "multipart", "text", "binary"];

/** The format of bodies of a media type. `undefined` for a range, such as `image/*`. */
export function bodyKindOf(type: string): BodyKind | undefined {
  const name = parseMediaType(type);
  if (name === undefined || name.includes("*")) {
    return undefined;
  }
  if (isJsonType(name)) {
    return "json";
  }
  if (name === "application/x-www-form-urlencoded") {
    return "form";
  }
  if (name.startsWith("multipart/")) {
    return "multipart";
  }
  return isTextType(name) ? "text" : "binary";
}

/** Whether values of a media type are JSON. @param name - In lower case, without parameters. */
export function isJsonType(name: string): boolean {
  return name === "application/json" || name === "text/json" || name.endsWith("+json");
}

/** Whether values of a media type are plain text or markup. */
export function isTextType(name: string): boolean {
  return (
    name.startsWith("text/") ||
    /^application\/(?:.*\+)?(?:xml|yaml|x-yaml|x-ndjson|graphql|javascript|sql|jsonl|json-seq|toml)$/.test(
      name,
    )
  );
}

/**
 * Reads a request body object of OpenAPI 3. Returns a string with the problem if it cannot be sent.
 */
export function readBody(value: unknown, pointers: Pointers): Body | string | undefined {
  if (!isRecord(value)) {
    return "the request body is not an object, or its reference leads nowhere";
  }
  const content = Object.entries(membersOf(value["content"]));
  const named = content.filter(([type]) => !isRange(type));
  const offered = (named.length > 0 ? named : content)
    .map(([type, media]) => ({ type: concreteType(type, media, pointers), media: membersOf(media) }))
    // A list of changes is an array, even if its schema is of an object.
    .toSorted((one, other) => Number(isPatch(one)) - Number(isPatch(other)));
  for (const kind of preference) {
    const found = offered.find(({ type }) => bodyKindOf(type) === kind);
    if (found !== undefined) {
      const { type, media } = found;
      return {
        kind,
        mediaType: type,
        isRequired: value["required"] === true,
        schema: media["schema"],
        description: textOf(value["description"]),
        examples: examplesOf(media),
        encoding: membersOf(media["encoding"]),
      };
    }
  }
  return offered.length === 0
    ? undefined
    : `the request body has no valid media type (${offered
        .map(({ type }) => type)
        .join(", ")
        .slice(0, 200)})`;
}

function isPatch({ type }: { readonly type: string }): boolean {
  return parseMediaType(type) === "application/json-patch+json";
}

function isRange(type: string): boolean {
  return type.includes("*") || !type.includes("/");
}

/** The media type to send. A range lets the client choose: Kubernetes has objects of any type. */
function concreteType(type: string, media: unknown, pointers: Pointers): string {
  if (!isRange(type)) {
    return type;
  }
  const mayBeJson = !type.includes("/") || /^(?:application|\*)\/\*/.test(type);
  return mayBeJson && partsOf(membersOf(media)["schema"], pointers).some(isComposite)
    ? "application/json"
    : "application/octet-stream";
}

function isComposite({ type, properties }: Members): boolean {
  return isRecord(properties) || [type].flat().some((one) => one === "object" || one === "array");
}

/**
 * The body of an operation of Swagger 2.0, which is written as parameters.
 *
 * @param parameters - Those in `body` and `formData`.
 * @param consumes - The media types of the operation.
 */
export function readSwaggerBody(
  parameters: readonly Members[],
  consumes: readonly unknown[],
  pointers: Pointers,
): Body | string | undefined {
  const types = consumes.filter((type) => typeof type === "string");
  const body = parameters.find((parameter) => parameter["in"] === "body");
  if (body !== undefined) {
    const content = Object.fromEntries(
      (types.length === 0 ? ["application/json"] : types).map((type) => [type, { schema: body["schema"] }]),
    );
    return readBody({ content, required: body["required"], description: body["description"] }, pointers);
  }
  if (parameters.length === 0) {
    return undefined;
  }
  const isMultipart =
    parameters.some((parameter) => parameter["type"] === "file") ||
    (types.includes("multipart/form-data") && !types.includes("application/x-www-form-urlencoded"));
  const named = parameters.flatMap((parameter) =>
    typeof parameter["name"] === "string" ? [[parameter["name"], parameter] as const] : [],
  );
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      named.map(([name, parameter]) => [
        name,
        { ...swaggerSchema(parameter), ...present({ description: textOf(parameter["description"]) }) },
      ]),
    ),
    required: named.flatMap(([name, parameter]) => (parameter["required"] === true ? [name] : [])),
  };
  return {
    kind: isMultipart ? "multipart" : "form",
    mediaType: isMultipart ? "multipart/form-data" : "application/x-www-form-urlencoded",
    isRequired: schema.required.length > 0,
    schema,
    description: undefined,
    examples: [],
    encoding: Object.fromEntries(named.map(([name, parameter]) => [name, formEncodingOf(parameter)])),
  };
}

/** The content of a response of Swagger 2.0. */
export function swaggerContent(
  response: Members,
  produces: readonly unknown[],
  pointers: Pointers,
): ReadonlyMap<string, unknown> {
  const { schema } = response;
  if (schema === undefined) {
    return new Map();
  }
  const isFile = membersOf(pointers.follow(schema))["type"] === "file";
  const types = listOf(produces).filter((type) => typeof type === "string");
  const fallback = isFile ? "application/octet-stream" : "application/json";
  return new Map((types.length === 0 ? [fallback] : types).map((type) => [type, schema]));
}
