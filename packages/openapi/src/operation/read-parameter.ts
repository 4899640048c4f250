import { isRecord } from "@tenon/base";

import { textOf, type Members } from "../document/values.ts";
import type { Parameter, Place, Serialization, Style } from "./operation.ts";

const places: readonly Place[] = ["path", "query", "header", "cookie", "querystring"];
const styles: Readonly<Record<Place, readonly Style[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form", "cookie"],
  querystring: ["form"],
};
/** Keys of a Swagger 2.0 parameter that are not keywords of its schema. */
const ofParameter: ReadonlySet<string> = new Set([
  "name",
  "in",
  "required",
  "description",
  "collectionFormat",
  "allowEmptyValue",
  "schema",
]);
/** Headers that OpenAPI describes elsewhere, or that belong to the connection. */
const ignoredHeaders =
  /^(?:accept|content-type|authorization|host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|cookie)$/i;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reads a parameter object. Returns `undefined` for headers that OpenAPI ignores here, and a string
 * with the problem for a parameter that cannot be sent.
 *
 * @param isSwagger - Whether the object is of Swagger 2.0.
 * @source OpenAPI 3.1.1 §4.8.12
 */
export function readParameter(value: unknown, isSwagger: boolean): Parameter | string | undefined {
  if (!isRecord(value)) {
    return "a parameter is not an object, or its reference leads nowhere";
  }
  const name = value["name"];
  const place = places.find((one) => one === value["in"]);
  if (typeof name !== "string" || place === undefined) {
    return `a parameter has no valid name and place (${JSON.stringify(name)} in ${JSON.stringify(value["in"])})`;
  }
  if (place === "header" && ignoredHeaders.test(name)) {
    return undefined;
  }
  if ((place === "header" || place === "cookie") && !token.test(name)) {
    return `the ${place} ${JSON.stringify(name.slice(0, 100))} has a name that HTTP does not allow`;
  }
  const [mediaType, content] = Object.entries(isRecord(value["content"]) ? value["content"] : {})[0] ?? [];
  const serialization = isSwagger ? ofCollection(value) : serializationOf(value, place);
  return {
    ...serialization,
    name,
    place,
    isRequired: place === "path" || value["required"] === true,
    allowEmpty: value["allowEmptyValue"] === true,
    mediaType,
    schema:
      mediaType !== undefined
        ? isRecord(content)
          ? content["schema"]
          : undefined
        : isSwagger
          ? swaggerSchema(value)
          : value["schema"],
    description: textOf(value["description"]),
    isDeprecated: value["deprecated"] === true,
    examples: examplesOf(value),
  };
}

/** The schema of a parameter of Swagger 2.0, which is written into the parameter. */
export function swaggerSchema(parameter: Members): Members {
  const schema = Object.fromEntries(Object.entries(parameter).filter(([key]) => !ofParameter.has(key)));
  return schema["type"] === "file" ? { ...schema, type: "string", format: "binary" } : schema;
}

/** The examples of a parameter or media type. */
export function examplesOf(value: Members): readonly unknown[] {
  if (value["example"] !== undefined) {
    return [value["example"]];
  }
  const named = value["examples"];
  return Object.values(isRecord(named) ? named : {}).flatMap((one) =>
    isRecord(one) && one["value"] !== undefined ? [one["value"]] : [],
  );
}

/** The serialization of a parameter or an encoding object. @param place - Decides the defaults. */
export function serializationOf(value: Members, place: Place): Serialization {
  const [initial = "form"] = styles[place];
  const style = styles[place].find((one) => one === value["style"]) ?? initial;
  const { explode } = value;
  return {
    style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "cookie",
    allowReserved: value["allowReserved"] === true,
  };
}

/** The collection formats of Swagger 2.0, as styles. */
function ofCollection(value: Members): Serialization {
  const place = value["in"];
  const base: Serialization = {
    style: place === "query" || place === "formData" ? "form" : "simple",
    explode: false,
    allowReserved: false,
  };
  switch (value["collectionFormat"]) {
    case "multi":
      return { ...base, explode: true };
    case "ssv":
      return { ...base, style: "spaceDelimited" };
    case "tsv":
      return { ...base, style: "tabDelimited" };
    case "pipes":
      return { ...base, style: "pipeDelimited" };
    default:
      return base;
  }
}

/** The encoding object for a form field of Swagger 2.0. */
export function formEncodingOf(value: Members): Members {
  const { style, explode } = ofCollection(value);
  return value["type"] === "array" ? { style, explode } : {};
}
