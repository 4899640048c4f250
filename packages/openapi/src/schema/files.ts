import { isRecord } from "@tenon/base";

import type { Pointers } from "../document/pointer.ts";
import { listOf, membersOf, present, type Members } from "../document/values.ts";
import { partsOf } from "./parts.ts";

/** The schema of a file in arguments, which are JSON. */
export const fileSchema: Members = {
  type: "object",
  description: "A file: its text, or its bytes in base64.",
  properties: {
    text: { type: "string" },
    base64: {
      type: "string",
      contentEncoding: "base64",
      pattern: "^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}(?:==)?|[A-Za-z0-9+/_-]{3}=?)?$",
    },
    filename: { type: "string" },
    mediaType: { type: "string" },
  },
  oneOf: [{ required: ["text"] }, { required: ["base64"] }],
  additionalProperties: false,
};

/** The schema of a multipart body, and its properties that are files or arrays of files. */
export interface FilesOfBody {
  /** In the form of the document, with files as arguments have them. */
  readonly schema: unknown;
  readonly names: ReadonlySet<string>;
}

/** Finds the files in the schema of a multipart body, also behind references and `allOf`. */
export function filesOf(schema: unknown, pointers: Pointers): FilesOfBody {
  const names = new Set(
    partsOf(schema, pointers).flatMap((part) =>
      Object.entries(membersOf(part["properties"])).flatMap(([name, property]) =>
        withFile(property, pointers) === undefined ? [] : [name],
      ),
    ),
  );
  return { schema: names.size === 0 ? schema : withFiles(schema, pointers, new Set()), names };
}

/** Maximum number of parts. Files in further parts are not described as files. */
const maxParts = 500;

/** A schema with its references replaced as far as files are behind them. */
function withFiles(schema: unknown, pointers: Pointers, seen: Set<unknown>): unknown {
  const target = pointers.follow(schema);
  if (!isRecord(target)) {
    return schema;
  }
  // A part of parts applies once.
  if (seen.has(target)) {
    return true;
  }
  seen.add(target);
  const { properties, allOf } = target;
  return {
    ...target,
    ...annotations(schema),
    ...present({
      properties: isRecord(properties)
        ? Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [
              name,
              withFile(property, pointers) ?? property,
            ]),
          )
        : undefined,
      allOf:
        Array.isArray(allOf) && seen.size < maxParts
          ? allOf.map((part: unknown) => withFiles(part, pointers, seen))
          : undefined,
    }),
  };
}

/** The schema of a file or of an array of files in arguments; `undefined` for another schema. */
function withFile(property: unknown, pointers: Pointers): unknown {
  const parts = partsOf(property, pointers);
  if (parts.some(isFileSchema)) {
    const notes = [...parts.toReversed(), property].flatMap((part) => Object.entries(annotations(part)));
    return { ...fileSchema, ...Object.fromEntries(notes) };
  }
  const array = parts.find(({ type, items }) => isOf(type, "array") && items !== undefined);
  return array !== undefined && partsOf(array["items"], pointers).some(isFileSchema)
    ? { ...array, ...annotations(property), items: withFile(array["items"], pointers) }
    : undefined;
}

function annotations(schema: unknown): Members {
  const { description, readOnly, nullable, type, "x-nullable": extended } = membersOf(schema);
  const isNullable = nullable === true || extended === true || listOf(type).includes("null");
  return present({ description, readOnly, nullable: isNullable ? true : undefined });
}

function isOf(type: unknown, name: string): boolean {
  return type === name || listOf(type).includes(name);
}

/** Whether a schema describes a file, in the notation of Swagger 2.0, OpenAPI 3.0 or 3.1. */
function isFileSchema({ type, format, contentMediaType, contentEncoding }: Members): boolean {
  return (
    type === "file" ||
    (isOf(type, "string") && format === "binary") ||
    (contentMediaType !== undefined &&
      contentEncoding === undefined &&
      (type === undefined || isOf(type, "string")))
  );
}
