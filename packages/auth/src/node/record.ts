import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

import { isRecord } from "@tenon/base";

import { AuthError } from "../shared/error.ts";

/** The content of a file of the store. */
export interface StoredRecord {
  /** The key that it belongs to. */
  readonly key: string;
  readonly generation: number;
  /**
   * `undefined` for a key that was deleted: its generations go on, so that a late writer cannot
   * bring the value back.
   */
  readonly value: string | undefined;
  /** When the record may be deleted, in milliseconds since 1970. */
  readonly expiresAt: number | undefined;
}

const version = 1;
const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Writes a record. Its value is sealed if there is a key; the rest of the record is then
 * authenticated.
 */
export function encodeRecord(record: StoredRecord, secret: Buffer | undefined): string {
  const { key, generation, value, expiresAt } = record;
  const head = { version, key, generation, expiresAt };
  if (value === undefined) {
    return JSON.stringify(head);
  }
  if (secret === undefined) {
    return JSON.stringify({ ...head, value });
  }
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, secret, iv);
  cipher.setAAD(context(record));
  const sealed = Buffer.concat([iv, cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return JSON.stringify({ ...head, sealed: sealed.toString("base64") });
}

/**
 * Reads a record. Returns `undefined` for a string that is damaged, of another version, of another
 * key or generation, or sealed by another secret.
 *
 * @throws `AuthError` `AUTH_STORE_FAILED` if the record is sealed and there is no secret: the
 *   keychain may only be locked.
 */
export function decodeRecord(
  text: string,
  name: Pick<StoredRecord, "key" | "generation">,
  secret: Buffer | undefined,
): StoredRecord | undefined {
  const parsed = parse(text);
  if (
    parsed?.["version"] !== version ||
    parsed["key"] !== name.key ||
    parsed["generation"] !== name.generation
  ) {
    return undefined;
  }
  const { value, sealed } = parsed;
  const expiresAt = typeof parsed["expiresAt"] === "number" ? parsed["expiresAt"] : undefined;
  const record = { key: name.key, generation: name.generation, expiresAt };
  if (typeof sealed === "string") {
    if (secret === undefined) {
      const message =
        "The stored credentials are sealed, and the keychain with their key is not available. Unlock it, or delete the directory of the store and log in again.";
      throw new AuthError("AUTH_STORE_FAILED", message);
    }
    const opened = open(Buffer.from(sealed, "base64"), secret, context({ ...record, value: undefined }));
    return opened === undefined ? undefined : { ...record, value: opened };
  }
  return { ...record, value: typeof value === "string" ? value : undefined };
}

/** Returns when the record in a string expires; `Infinity` if it never does. */
export function expiryOf(text: string): number {
  const expiresAt = parse(text)?.["expiresAt"];
  return typeof expiresAt === "number" ? expiresAt : Infinity;
}

function open(sealed: Buffer, secret: Buffer, aad: Buffer): string | undefined {
  if (sealed.length < ivBytes + tagBytes) {
    return undefined;
  }
  try {
    const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, ivBytes));
    decipher.setAAD(aad);
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    return decipher.update(sealed.subarray(ivBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

function context({ key, generation, expiresAt }: StoredRecord): Buffer {
  return Buffer.from(JSON.stringify([version, key, generation, expiresAt ?? null]));
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
