/**
 * Finds the first value that JSON cannot carry.
 *
 * @returns A sentence with its place and the reason; `undefined` if JSON carries everything, or if
 *   a `toJSON` throws.
 */
export function notJson(value: unknown): string | undefined {
  const path: (readonly [key: string, value: unknown])[] = [];
  try {
    // JSON fails at the value that the function has just returned.
    JSON.stringify(value, function (this: unknown, key: string, member: unknown) {
      while (path.length > 0 && path.at(-1)?.[1] !== this) {
        path.pop();
      }
      path.push([key, member]);
      return member;
    });
  } catch {
    const last = path.pop();
    const place = [...path, last].map((step) => step?.[0].slice(0, 50));
    const problem =
      typeof last?.[1] === "bigint"
        ? "a bigint"
        : path.some((above) => above[1] === last?.[1]) && "an object that contains itself";
    if (problem !== false) {
      return `${place.slice(1).join(".") || "it"} is ${problem}, which JSON has no form for.`;
    }
  }
  return undefined;
}
