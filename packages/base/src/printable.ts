/** Maximum length of text that is returned whole, in UTF-16 code units. Longer text is cut. */
const maxMessage = 8192;
/**
 * Control characters, and characters that change the text direction or end a line. They could forge
 * lines of logs, and terminals obey them.
 */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Returns text of a remote peer in a form that is safe on terminals and in lines of logs: at most
 * 8,192 characters, with control characters escaped.
 */
export function printable(text: string): string {
  const shown = text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text;
  return shown.replace(unprintable, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const escaped = JSON.stringify(character).slice(1, -1);
  return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : escaped;
}
