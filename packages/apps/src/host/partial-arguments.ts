import { isRecord } from "@tenon/base";

/** Maximum depth of arguments. Deeper values are left out. */
const maxDepth = 100;

/**
 * Reads the arguments of a tool call while the model still writes them: closes strings, lists and
 * objects that are open, and leaves out what has no value yet.
 *
 * @example parsePartialArguments('{"city": "Par'); // { city: "Par" }
 * @returns The arguments so far; `undefined` if the text is not the beginning of an object.
 */
export function parsePartialArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(closed(text));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text up to its last complete value, with the ends of the lists and objects around it. */
function closed(text: string): string {
  const ends: string[] = [];
  let kept = "";
  let isKey = false;
  let index = 0;
  const keep = (end: number, quote = ""): void => {
    kept = text.slice(0, end) + quote + ends.toReversed().join("");
  };
  while (index < text.length && ends.length <= maxDepth) {
    const character = text.charAt(index);
    if (character === '"') {
      const { end, complete } = endOfString(text, index + 1);
      if (!isKey) {
        keep(end, complete ? "" : '"');
      }
      index = end;
      if (!complete) {
        break;
      }
      continue;
    }
    index++;
    if (character === "{" || character === "[") {
      ends.push(character === "{" ? "}" : "]");
      isKey = character === "{";
      keep(index);
    } else if (character === "}" || character === "]") {
      ends.pop();
      isKey = false;
      if (ends.length === 0) {
        return text;
      }
      keep(index);
    } else if (character === ",") {
      isKey = ends.at(-1) === "}";
    } else if (character === ":") {
      isKey = false;
    } else if (/[\w.+-]/.test(character) && /[\s,}\]]/.test(text.charAt(index))) {
      // A number or a literal is complete only when something else follows.
      keep(index);
    }
  }
  return kept;
}

/** Finds the end of a string: after its quote, or before an incomplete escape. */
function endOfString(text: string, start: number): { readonly end: number; readonly complete: boolean } {
  let index = start;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '"') {
      return { end: index + 1, complete: true };
    }
    const length = character !== "\\" ? 1 : text.charAt(index + 1) === "u" ? 6 : 2;
    if (index + length > text.length) {
      break;
    }
    index += length;
  }
  return { end: index, complete: false };
}
