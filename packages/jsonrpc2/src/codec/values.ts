import { endOfString } from "./string-end.ts";

const quote = 0x22;

/**
 * True if JSON text holds more than `max` values, going by its commas and opening brackets. Native
 * searches acquit most text, however long; only where there are enough of them, perhaps inside of
 * strings, are the strings told apart.
 */
export function exceedsValues(text: string, max: number): boolean {
  return text.length > max && occursMoreThan(text, max) && separatesMoreThan(text, max);
}

function occursMoreThan(text: string, max: number): boolean {
  let count = 0;
  for (const mark of [",", "[", "{"]) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      if (++count > max) {
        return true;
      }
    }
  }
  return false;
}

function separatesMoreThan(text: string, max: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at) - 1;
    } else if (code === 0x2c || code === 0x5b || code === 0x7b) {
      count++;
      if (count > max) {
        return true;
      }
    }
  }
  return false;
}
