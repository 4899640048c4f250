/**
 * Whether a name matches a pattern, in which `*` matches any characters and all other characters
 * match themselves. The time is linear, because names may come from remote peers.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) {
    return name === pattern;
  }
  const end = name.length - tail.length;
  if (head.length > end || !name.startsWith(head) || !name.endsWith(tail)) {
    return false;
  }
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) {
      return false;
    }
    at = found + part.length;
  }
  return at <= end;
}
