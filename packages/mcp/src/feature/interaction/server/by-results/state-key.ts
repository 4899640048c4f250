import { McpError } from "../../../../base/error.ts";
import type { StateKey } from "../../../../request/server/interaction.ts";

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

function checkKey(key: StateKey | undefined): void {
  const { id, secret } = key ?? {};
  const { length } = typeof secret === "string" ? new TextEncoder().encode(secret) : (secret ?? "");
  if (typeof id !== "string" || !isKeyId(id) || !(length >= 32)) {
    throw new McpError(
      "INVALID_DEFINITION",
      `stateKeys: a key needs an id of 1 to 64 letters, digits, "_" or "-", and a secret of at least 32 bytes; got id ${JSON.stringify(id)} and ${length} bytes.`,
    );
  }
}
