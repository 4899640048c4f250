import { nearest } from "./nearest.ts";
import { pointerTokens } from "./resolve/pointer.ts";
import { isCut } from "./validation-error.ts";
import type { ValidationIssue } from "./validator.ts";
import { onOneLine } from "./value/one-line.ts";

/**
 * One short line per error, written for a model that has to correct its arguments: where, what was
 * expected, what came, and for an unknown property or value the one that was probably meant. A last
 * line says if the report ends at `maxErrors`, so that there may be more errors.
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
