import { isRecord } from "@tenon/base";

import { sha256 } from "../names/sha256.ts";
import type { Report } from "./change.ts";
import { wellFormed } from "./media.ts";

/** The names of functions that every vendor takes. */
const plainName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const maxName = 64;
const hashLength = 8;

/**
 * A name that every vendor takes: the given one if possible. The names of a manager always are.
 */
export function functionName(name: string, report: Report | undefined): string {
  if (plainName.test(name)) {
    return name;
  }
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]|^(?=[\d-])/g, "_").slice(0, maxName - hashLength - 1);
  const mended = `${plain}_${sha256(name).slice(0, hashLength)}`;
  report?.("renamed", "/name", `Renamed the tool to ${mended}.`);
  return mended;
}

/**
 * A converted schema without halves of characters, which make the JSON of the whole request
 * invalid.
 */
export function wellFormedSchema<S extends object>(schema: S, report: Report | undefined): S {
  // `JSON.stringify` escapes halves only.
  if (!/\\ud[89a-f]/.test(JSON.stringify(schema))) {
    return schema;
  }
  report?.("replaced", "/inputSchema", "Replaced halves of characters in the schema.");
  const mend = (value: unknown): unknown => {
    if (typeof value === "string") {
      return wellFormed(value);
    }
    if (Array.isArray(value)) {
      return value.map(mend);
    }
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, member]) => [wellFormed(key), mend(member)]))
      : value;
  };
  return mend(schema) as S;
}

/** Cuts a description to a number of characters. A cut one ends with an ellipsis. */
export function cutDescription(
  description: string | undefined,
  maxLength: number,
  report: Report | undefined,
): string {
  const text = wellFormed(description ?? "");
  if (text.length <= maxLength) {
    return text;
  }
  report?.("cut", "/description", `Cut the description from ${text.length} to ${maxLength} characters.`);
  // Half of a character may be at the end.
  return `${text.slice(0, Math.max(0, maxLength - 1)).replace(/[\ud800-\udbff]$/, "")}…`;
}
