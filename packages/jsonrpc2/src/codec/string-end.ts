const backslash = 0x5c;

/**
 * The index after the closing quote of the JSON string that opens at `start`; the length of the
 * text if it is never closed.
 */
export function endOfString(text: string, start: number): number {
  for (let close = text.indexOf('"', start + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let escapes = 0;
    while (text.charCodeAt(close - 1 - escapes) === backslash) {
      escapes++;
    }
    if (escapes % 2 === 0) {
      return close + 1;
    }
  }
  return text.length;
}
