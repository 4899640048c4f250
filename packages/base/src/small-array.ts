/**
 * Returns an empty array with room for one element. If an empty array grows, V8 makes room for 17
 * elements, and keeps half of it when the array is empty again.
 */
export function smallArray<T>(): T[] {
  const array: unknown[] = [undefined];
  array.pop();
  return array as T[];
}
