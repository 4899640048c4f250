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

/** A description of at most so many characters. A cut one ends with an ellipsis. */
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
