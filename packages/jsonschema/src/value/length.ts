/**
 * Number of code points (the length JSON Schema counts, validation §6.3); lone surrogates count as
 * one.
 */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0, end = text.length - 1; i < end; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

/**
 * True if the text has fewer than `min` code points. Counts only when the UTF-16 length does not
 * decide.
 */
export function tooShort(text: string, min: number): boolean {
  return text.length < min || (text.length < 2 * min && codePoints(text) < min);
}

/**
 * True if the text has more than `max` code points. Counts only when the UTF-16 length does not
 * decide.
 */
export function tooLong(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || codePoints(text) > max);
}
