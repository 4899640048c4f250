import { isRecord } from "@tenon/base";

/** JSON in which the properties of objects are sorted, so that equal values have equal JSON. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/**
 * A 64-bit FNV-1a style hash, as text. It notices that a handler asks something else than before;
 * it protects nothing.
 */
export function fingerprint(value: unknown): string {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  for (const char of canonical(value)) {
    const code = char.codePointAt(0) ?? 0;
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 13);
  }
  return ((a >>> 0) * 0x100000 + ((b >>> 0) % 0x100000)).toString(36);
}
