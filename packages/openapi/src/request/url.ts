import { ToolError } from "@tenon/mcp";

import type { Parameter } from "../operation/operation.ts";
import { encodeReserved, encodeUnreserved } from "./encode.ts";
import { scalarText, serializeInline, serializePairs, type Pair } from "./serialize.ts";

/** A parameter, and the argument that it got. */
export interface Given {
  readonly argument: string;
  readonly parameter: Parameter;
  readonly value: unknown;
}

/**
 * Writes the path of an operation.
 *
 * @throws `ToolError` for a value that would lead to another path: an empty one, and `.` and `..`,
 *   which the resolution of URLs removes.
 */
export function writePath(template: string, given: readonly Given[]): string {
  const values = new Map(given.map((one) => [one.parameter.name, one]));
  const path = template
    .split(/(\{[^{}]+\})/)
    .map((part, index) => {
      if (index % 2 === 0) {
        return literalPath(part);
      }
      const one = values.get(part.slice(1, -1));
      if (one === undefined) {
        throw new ToolError(`The path parameter ${part} has no value.`);
      }
      const { parameter, value, argument } = one;
      const encode = parameter.allowReserved
        ? (text: string) => encodeReserved(text, "/?#[]")
        : encodeUnreserved;
      const text =
        parameter.mediaType === undefined
          ? serializeInline(parameter.name, value, parameter, encode)
          : encode(contentText(value, parameter.mediaType));
      if (text === "") {
        throw new ToolError(`The argument ${argument} must not be empty: it is a part of the path.`);
      }
      return text;
    })
    .join("");
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw new ToolError(
      'An argument makes a segment of the path "." or "..", which names another resource. Use another value.',
    );
  }
  return path;
}

/** The literal part of a path. Characters that paths must not contain are encoded. */
function literalPath(text: string): string {
  return encodeReserved(text, "?#[]");
}

/** Writes the query of a request, without `?`. */
export function writeQuery(given: readonly Given[]): string {
  return given
    .flatMap(({ parameter, value }): readonly string[] => {
      const { name, mediaType, place, allowEmpty, allowReserved } = parameter;
      if (place === "querystring") {
        return [queryString(value, mediaType)];
      }
      // In a query, reserved characters are allowed except those that separate its parts.
      const encode = allowReserved ? (text: string) => encodeReserved(text, "#[]&+") : encodeUnreserved;
      if (mediaType !== undefined) {
        return [`${encodeUnreserved(name)}=${encode(contentText(value, mediaType))}`];
      }
      if (allowEmpty && (value === "" || value === null)) {
        return [encodeUnreserved(name)];
      }
      return serializePairs(name, value, parameter, encode).map(joined);
    })
    .filter((part) => part !== "")
    .join("&");
}

function joined([name, value]: Pair): string {
  return `${name}=${value}`;
}

/** The whole query as one value (OpenAPI 3.2). */
function queryString(value: unknown, mediaType: string | undefined): string {
  if (mediaType === "application/x-www-form-urlencoded" && typeof value === "object" && value !== null) {
    return Object.entries(value)
      .flatMap(([name, one]) => serializePairs(name, one, { style: "form", explode: true }, encodeUnreserved))
      .map(joined)
      .join("&");
  }
  return encodeUnreserved(contentText(value, mediaType ?? "application/json"));
}

/** The value of a parameter that has a media type in place of a style. */
export function contentText(value: unknown, mediaType: string): string {
  return /[/+]json\b/.test(mediaType) ? JSON.stringify(value) : scalarText(value);
}
