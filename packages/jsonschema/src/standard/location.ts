import { escapeToken } from "../reference/pointer.ts";
import type { StandardIssue } from "./spec.ts";

/** The location of an issue of a Standard Schema, as a JSON Pointer. */
export function locationOf({ path = [] }: StandardIssue): string {
  return path
    .map((segment) => `/${escapeToken(String(typeof segment === "object" ? segment.key : segment))}`)
    .join("");
}
