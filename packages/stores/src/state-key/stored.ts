import { isRecord } from "@tenon/base";

/** A key with its age. */
export interface StoredKey {
  readonly id: string;
  readonly secret: string;
  readonly createdAt: number;
}

/** The form of the stored value. Values of another form are replaced. */
const version = 1;

/** Returns the value that keeps these keys. */
export function encodeKeys(keys: readonly StoredKey[]): string {
  return JSON.stringify({ version, keys });
}

/** Returns the keys of a value, newest first; none for a value of another version. */
export function decodeKeys(value: string | undefined): readonly StoredKey[] {
  try {
    const decoded: unknown = JSON.parse(value ?? "{}");
    return isRecord(decoded) && decoded["version"] === version ? (decoded["keys"] as StoredKey[]) : [];
  } catch {
    return [];
  }
}

/** Returns a random key of 256 bits. */
export function newKey(createdAt: number): StoredKey {
  return { id: randomHex(8), secret: randomHex(32), createdAt };
}

/** Whether the key at `index` was replaced by a key that was made before `until`. */
export function isDropped(keys: readonly StoredKey[], index: number, until: number): boolean {
  const successor = keys[index - 1];
  return successor !== undefined && successor.createdAt <= until;
}

/**
 * Returns the keys, the encrypting key first: the newest that was made before `until`, or the
 * oldest if there is none, because other processes may not have read newer keys.
 */
export function usable(
  keys: readonly StoredKey[],
  until: number,
): readonly { readonly id: string; readonly secret: string }[] {
  const first = keys.find(({ createdAt }) => createdAt <= until) ?? keys.at(-1);
  const ordered = first === undefined ? [] : [first, ...keys.filter((key) => key !== first)];
  return ordered.map(({ id, secret }) => ({ id, secret }));
}

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
