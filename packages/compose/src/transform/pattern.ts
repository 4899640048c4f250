/** Whether a name matches a pattern, in which `*` matches any characters. */
export function matches(pattern: string, name: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) {
    return name === pattern;
  }
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) {
    return false;
  }
  // Each part is found where it comes first, so the time is linear.
  let at = head.length;
  const end = name.length - tail.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) {
      return false;
    }
    at = found + part.length;
  }
  return true;
}
