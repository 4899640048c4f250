import { literal } from "@tenon/jsonschema/typescript";
import type { Tool } from "@tenon/protocol";

/** The beginning of the constant in a module of TypeScript. */
export const typedHead = "export const definitions: readonly Tool[] = [\n";
/** The beginning of the constant in a program of JavaScript. */
export const plainHead = "const definitions = [\n";
const foot = "];\n";

/** Returns the declaration of the constant with the definitions of tools, one on each line. */
export function formatDefinitions(tools: readonly Tool[], head: string = typedHead): string {
  return `${head}${tools.map((tool) => `  ${literal(tool)},\n`).join("")}${foot}`;
}

/**
 * Reads the definitions out of a module that has {@link formatDefinitions}. @returns `undefined` if
 * the module has none, or they are no longer JSON.
 */
export function parseDefinitions(text: string, head: string = typedHead): readonly Tool[] | undefined {
  const from = text.indexOf(head);
  const to = text.indexOf(`\n${foot}`, from + head.length - 1);
  if (from < 0 || to < 0) {
    return undefined;
  }
  const lines = text.slice(from + head.length, to).split("\n");
  try {
    return lines
      .filter((line) => line !== "")
      .map(
        (line) =>
          JSON.parse(line.trim().replace(/,$/, "").replaceAll('["__proto__"]:', '"__proto__":')) as Tool,
      );
  } catch {
    return undefined;
  }
}
