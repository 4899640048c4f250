/** Copies the first characters of a string: a slice would keep the whole string in memory. */
export function startOf(text: string, most: number): string {
  return text.length > most ? (JSON.parse(JSON.stringify(text.slice(0, most))) as string) : text;
}

/**
 * The start of a value as JSON, without the work of converting a long value.
 *
 * @param most - The maximum number of characters; a longer text ends in `…`.
 */
export function brief(value: unknown, most = 160): string {
  const parts: string[] = [];
  let left = most;
  const put = (text: string): void => {
    parts.push(text.length > left ? text.slice(0, left) : text);
    left -= text.length;
  };
  const walk = (item: unknown, depth: number): void => {
    if (left <= 0) {
      return;
    }
    if (typeof item === "string") {
      put(JSON.stringify(item.slice(0, left + 1)));
    } else if (typeof item !== "object" || item === null) {
      put(JSON.stringify(item) ?? "null");
    } else if (depth > 20) {
      put("…");
    } else if (Array.isArray(item)) {
      put("[");
      for (const [index, one] of item.entries()) {
        if (left <= 0) {
          break;
        }
        put(index === 0 ? "" : ",");
        walk(one, depth + 1);
      }
      put("]");
    } else {
      put("{");
      let first = true;
      for (const name in item) {
        if (left <= 0) {
          break;
        }
        if (name !== "_meta") {
          put(`${first ? "" : ","}${JSON.stringify(name.slice(0, left + 1))}:`);
          walk((item as Record<string, unknown>)[name], depth + 1);
          first = false;
        }
      }
      put("}");
    }
  };
  walk(value, 0);
  const text = parts.join("");
  return left < 0 ? `${text.slice(0, most - 1)}…` : text;
}
