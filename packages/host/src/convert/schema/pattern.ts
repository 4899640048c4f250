/** Patterns that are longer are not given to a vendor. */
const maxLength = 2000;

/** Syntax that Python lacks, in which vendors compile patterns: `\p{L}`, `(?<name>…)`, `\u{…}`. */
const notInPython = /\\[pPkcXhH]|\\u\{|\(\?<(?![=!])/;

/** Syntax that engines of linear time lack: lookaround, and references to groups. */
const notLinear = /\(\?<?[=!]|\\[1-9]/;

/** Whether a pattern is a regular expression in JavaScript and in Python. */
export function isCommonPattern(pattern: string): boolean {
  return pattern.length <= maxLength && !notInPython.test(pattern) && compiles(pattern);
}

/** Whether a pattern is also one for engines that take linear time, such as RE2. */
export function isLinearPattern(pattern: string): boolean {
  return isCommonPattern(pattern) && !notLinear.test(pattern);
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
