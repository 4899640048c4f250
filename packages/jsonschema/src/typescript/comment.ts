import type { RawSchema } from "../schema.ts";
import { commentLine } from "./escape.ts";

/** Maximum length of a description in a comment, in UTF-16 code units. The rest is omitted. */
const maxLength = 2000;
/**
 * Maximum length of a default value in a comment, in UTF-16 code units. Longer values are omitted.
 */
const maxDefaultLength = 200;

/**
 * Returns a comment with the description of a schema, its default value and whether it is
 * deprecated. It ends with a line break; empty if there is nothing to say.
 */
export function commentOf(schema: RawSchema | boolean): string {
  return typeof schema === "boolean" ? "" : commentFor(schema["description"], tagsOf(schema));
}

/** Returns a comment with a description and further lines, as `commentOf` does. */
export function commentFor(description: unknown, tags: readonly string[] = []): string {
  const text = typeof description === "string" ? shortened(description).split(/\r\n|[\n\r]/) : [];
  const lines = [...text, ...tags].map(commentLine);
  while (lines[0] === "") {
    lines.shift();
  }
  while (lines.at(-1) === "") {
    lines.pop();
  }
  if (lines.length < 2) {
    return lines[0] === undefined ? "" : `/** ${lines[0]} */\n`;
  }
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */\n"].join("\n");
}

function tagsOf(schema: RawSchema): string[] {
  const tags: string[] = [];
  if (schema["default"] !== undefined) {
    const value = JSON.stringify(schema["default"]);
    if (value.length <= maxDefaultLength) {
      tags.push(`@default ${value}`);
    }
  }
  if (schema["deprecated"] === true) {
    tags.push("@deprecated");
  }
  return tags;
}

function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)} …` : text;
}
