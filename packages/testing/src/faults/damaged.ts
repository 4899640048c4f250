import type { Random } from "@tenon/jsonschema/generate";

/**
 * Text as a bad line delivers it.
 *
 * @param kind - `truncate` keeps the first half; `corrupt` replaces one character by a control
 *   character, so that the text keeps its length.
 */
export function damaged(text: string, kind: "corrupt" | "truncate", random: Random): string {
  if (kind === "truncate") {
    return text.slice(0, Math.floor(text.length / 2));
  }
  const at = Math.floor(random() * text.length);
  return `${text.slice(0, at)}\u0001${text.slice(at + 1)}`;
}
