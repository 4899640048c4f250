import { ownStyles } from "./color.ts";

/**
 * Control characters except tab and line feed, characters that change the text direction, and line
 * separators. Terminals obey them; a server could hide or forge text.
 */
const unsafe = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Text of others as a terminal may get it: dangerous characters are shown as escapes. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(unsafe, escaped);
}

/** As {@link visible}, and converts the styles of this program for the terminal. */
export function printable(text: string): string {
  const parts = text.split(ownStyles);
  // The pattern has one group: every second part is the number of a style.
  return parts.map((part, index) => (index % 2 === 0 ? visible(part) : `\u001b[${part}m`)).join("");
}

/** Whether a string contains invisible characters: controls, directions, tags. */
export function hasHidden(text: string): boolean {
  unsafe.lastIndex = 0;
  return unsafe.test(text.replaceAll("\r\n", "\n")) || /[\u200b\u{e0000}-\u{e007f}]/u.test(text);
}

/** As {@link visible}, in one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s+/g, " ").trim();
}

/** JSON that means the same, and that no terminal obeys. */
export function visibleJson(value: unknown, space?: number): string {
  // JSON.stringify escapes only characters below U+0020.
  return (JSON.stringify(value, undefined, space) ?? "null").replace(unsafe, unicode);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : unicode(character);
}

function unicode(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** Converts a value of a server to a string. */
export function textOf(value: unknown, fallback = ""): string {
  return typeof value === "string" ? value : value === undefined ? fallback : JSON.stringify(value);
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : textOf(error, "an unknown error");
}
