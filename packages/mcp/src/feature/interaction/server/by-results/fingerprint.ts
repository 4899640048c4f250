import { canonicalJson } from "@tenon/base/canonical-json";

/**
 * A 64-bit FNV-1a style hash, as text. It notices that a handler asks something else than before;
 * it protects nothing.
 */
export function fingerprint(value: unknown): string {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  for (const char of canonicalJson(value)) {
    const code = char.codePointAt(0) ?? 0;
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 13);
  }
  return ((a >>> 0) * 0x100000 + ((b >>> 0) % 0x100000)).toString(36);
}
