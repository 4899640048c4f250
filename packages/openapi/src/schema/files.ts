import { isRecord } from "@tenon/base";

import { partsOf } from "../document/parts.ts";
import type { Pointers } from "../document/pointer.ts";
import { listOf, membersOf, present, type Members } from "../document/values.ts";

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

/** The keywords of alternatives. */
const alternatives = ["oneOf", "anyOf"] as const;

/**
 * Finds the files in the schema of a multipart body, also behind references, in `allOf` and in
 * alternatives.
 */
export function filesOf(schema: unknown, pointers: Pointers): FilesOfBody {
  const budget = { left: maxAlternatives };
  const names = new Set(
    everyPart(schema, pointers, new Set()).flatMap((part) =>
      Object.entries(membersOf(part["properties"])).flatMap(([name, property]) =>
        withFile(property, pointers, budget) === undefined ? [] : [name],
      ),
    ),
  );
  return {
    schema: names.size === 0 ? schema : withFiles(schema, pointers, new Set(), { left: maxAlternatives }),
    names,
  };
}

/** The parts of a schema and of its alternatives. */
function everyPart(schema: unknown, pointers: Pointers, seen: Set<unknown>): readonly Members[] {
  return partsOf(schema, pointers).flatMap((part) => {
    if (seen.has(part) || seen.size >= maxParts) {
      return [];
    }
    seen.add(part);
    const others = alternatives.flatMap((keyword) => listOf(part[keyword]).slice(0, maxParts));
    return [part, ...others.flatMap((other) => everyPart(other, pointers, seen))];
  });
}

/** Maximum number of alternatives of properties of one body that are read. */
const maxAlternatives = 2000;

/** The remaining number of alternatives. In a hostile document they name each other. */
interface Budget {
  left: number;
}

/** Maximum number of parts. Files in further parts are not described as files. */
const maxParts = 500;

/** A schema with its references replaced as far as files are behind them. */
function withFiles(schema: unknown, pointers: Pointers, seen: Set<unknown>, budget: Budget): unknown {
  const target = pointers.follow(schema);
  if (!isRecord(target)) {
    return schema;
  }
  // A part of parts applies once.
  if (seen.has(target)) {
    return true;
  }
  seen.add(target);
  const { properties } = target;
  const within = (list: unknown): unknown =>
    Array.isArray(list) && seen.size < maxParts
      ? list.map((part: unknown) => withFiles(part, pointers, seen, budget))
      : undefined;
  return {
    ...target,
    ...annotations(schema),
    ...present({
      properties: isRecord(properties)
        ? Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [
              name,
              withFile(property, pointers, budget) ?? property,
            ]),
          )
        : undefined,
      allOf: within(target["allOf"]),
      oneOf: within(target["oneOf"]),
      anyOf: within(target["anyOf"]),
    }),
  };
}

/**
 * The schema of a file, of an array of files, or of alternatives with one of them, as arguments
 * have it; `undefined` for another schema.
 */
function withFile(property: unknown, pointers: Pointers, budget: Budget): unknown {
  const parts = partsOf(property, pointers);
  if (parts.some(isFileSchema)) {
    const notes = [...parts.toReversed(), property].flatMap((part) => Object.entries(annotations(part)));
    return { ...fileSchema, ...Object.fromEntries(notes) };
  }
  const array = parts.find(({ type, items }) => isOf(type, "array") && items !== undefined);
  if (array !== undefined && partsOf(array["items"], pointers).some(isFileSchema)) {
    return { ...array, ...annotations(property), items: withFile(array["items"], pointers, budget) };
  }
  for (const part of parts) {
    for (const keyword of alternatives) {
      const others = listOf(part[keyword]);
      budget.left -= others.length;
      if (budget.left < 0) {
        return undefined;
      }
      const files = others.map((other) => withFile(other, pointers, budget));
      if (files.some((file) => file !== undefined)) {
        const either = files.map((file, index) => file ?? others[index]);
        return { ...part, ...annotations(property), [keyword]: either };
      }
    }
  }
  return undefined;
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
