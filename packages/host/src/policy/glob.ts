/**
 * Whether a name matches one of the patterns: `*` matches any characters, `?` matches one
 * character, and every other character matches itself.
 */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matches(pattern, name));
}

/**
 * Compares by hand, in time of at most the product of both lengths: a pattern may come from a
 * configuration file, a name from a server.
 */
function matches(pattern: string, name: string): boolean {
  if (!/[*?]/.test(pattern)) {
    return pattern === name;
  }
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    if (pattern[p] === "*") {
      star = p++;
      resume = n;
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) {
      p++;
      n++;
    } else if (star === -1) {
      return false;
    } else {
      p = star + 1;
      n = ++resume;
    }
  }
  while (pattern[p] === "*") {
    p++;
  }
  return p === pattern.length;
}
