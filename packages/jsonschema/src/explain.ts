import { nearest } from "./nearest.ts";
import { pointerTokens } from "./reference/pointer.ts";
import { isCut } from "./validation-error.ts";
import type { ValidationIssue } from "./validator.ts";
import { onOneLine } from "./value/one-line.ts";

/**
 * Returns one short line per error, written for a model that has to correct its arguments: the
 * path, the expected and the actual value, and for an unknown property or value the closest known
 * one. If the report ends at `maxErrors`, a last line says that there may be more errors.
 */
export function explain(errors: readonly ValidationIssue[]): string {
  const lines = errors.map(line);
  if (isCut(errors)) {
    lines.push("There may be more errors: a report ends here.");
  }
  return lines.join("\n");
}

function line(issue: ValidationIssue): string {
  const path = pointerTokens(issue.instanceLocation);
  let { message } = issue;
  const absent = `the property ${JSON.stringify(issue.params.expected)} is missing`;
  if (message.startsWith(absent)) {
    path.push(String(issue.params.expected));
    message = `missing${message.slice(absent.length)}`;
  }
  const where = path.length === 0 ? "" : `${path.join(".")}: `;
  return onOneLine(where + message + hint(issue));
}

function hint({ keyword, params }: ValidationIssue): string {
  const unknown =
    keyword === "additionalProperties" || keyword === "unevaluatedProperties" || keyword === "enum";
  if (!unknown || !Array.isArray(params.expected) || typeof params.received !== "string") {
    return "";
  }
  const meant = nearest(params.received, params.expected);
  return meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}
