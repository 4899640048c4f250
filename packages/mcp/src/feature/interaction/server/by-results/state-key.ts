import { McpError } from "../../../../base/error.ts";

/** A secret that encrypts `requestState`, and its name. */
export interface StateKey {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`; it is visible in every state that the key seals. */
  readonly id: string;
  /**
   * At least 32 random bytes, or a string of at least 32 bytes in UTF-8 (such as
   * `openssl rand -base64 32` prints).
   */
  readonly secret: string | Uint8Array;
}

/** Keys of `requestState`, newest first, or a function that returns them. */
export type StateKeys = readonly StateKey[] | (() => Promise<readonly StateKey[]>);

const idPattern = /^[\w-]{1,64}$/;

/** Whether a value is a valid ID of a key. */
export function isKeyId(id: string): boolean {
  return idPattern.test(id);
}

/**
 * @throws `McpError` `INVALID_DEFINITION` for an ID or secret that is not allowed, a repeated ID,
 *   or an empty list.
 */
export function checkStateKeys(keys: readonly StateKey[] | undefined): void {
  keys?.forEach(checkKey);
  if (keys !== undefined && new Set(keys.map(({ id }) => id)).size !== Math.max(1, keys.length)) {
    throw new McpError("INVALID_DEFINITION", "stateKeys needs at least one key, and no id twice.");
  }
}

function checkKey({ id, secret }: StateKey): void {
  const length = typeof secret === "string" ? new TextEncoder().encode(secret).length : secret.length;
  if (!isKeyId(id) || length < 32) {
    throw new McpError(
      "INVALID_DEFINITION",
      `Each key in stateKeys must have an id of 1 to 64 letters, digits, "_" or "-", and a secret of at least 32 bytes; got id ${JSON.stringify(id)} and ${length} bytes.`,
    );
  }
}
