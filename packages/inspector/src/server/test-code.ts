import { hidden } from "@tenon/http/redact";

/** Whether a value has lost a secret. */
export function hasSecret(value: object): boolean {
  return /\[redacted\]|%5Bredacted%5D/.test(JSON.stringify(value));
}

/** A string of JSON, and whether it is the name of a property. */
const jsonString = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** A JSON value as an expression of TypeScript, with an indentation. */
export function codeOf(value: unknown): string {
  return coded(value, (text) => text);
}

/**
 * As {@link codeOf}, for an expected value: a hidden secret may be any value, and a string with
 * a hidden secret may be any string.
 */
export function expectationOf(value: unknown): string {
  return coded(value, (text) =>
    text === `"${hidden}"` ? "expect.anything()" : text.includes(hidden) ? "expect.any(String)" : text,
  );
}

function coded(value: unknown, stringCode: (json: string) => string): string {
  const text = JSON.stringify(value, undefined, 2) ?? "undefined";
  return text
    .replaceAll(jsonString, (whole, colon: string | undefined) => {
      if (colon === undefined) {
        return stringCode(whole);
      }
      // As a literal, this name would set the prototype.
      return whole.startsWith('"__proto__"') ? `["__proto__"]${colon}` : whole;
    })
    .replaceAll("\n", "\n  ");
}

/** A string as a part of a comment of one line. */
export function commentOf(text: string): string {
  return JSON.stringify(text.slice(0, 200)).replaceAll(/[\u2028\u2029]/g, " ");
}
