import { escapeToken } from "../resolve/pointer.ts";
import type { StandardIssue } from "./spec.ts";

/** Where a Standard Schema found an issue, as a JSON Pointer. */
export function locationOf({ path = [] }: StandardIssue): string {
  return path
    .map((segment) => `/${escapeToken(String(typeof segment === "object" ? segment.key : segment))}`)
    .join("");
}
