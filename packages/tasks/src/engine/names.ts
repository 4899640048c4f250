/** Maximum length of the name of a step or a definition, and of the key of a input request. */
const maxLength = 128;

/** Returns whether a name has 1 to 128 characters and no `#`. */
export function isName(name: unknown): name is string {
  return typeof name === "string" && name !== "" && name.length <= maxLength && !name.includes("#");
}

/**
 * Checks a name.
 *
 * @param subject - What the name is, for the error: `Name of a step`.
 * @throws `TypeError` unless it has 1 to 128 characters without `#`.
 */
export function checkName(name: unknown, subject: string): asserts name is string {
  if (!isName(name)) {
    const got = typeof name === "string" ? JSON.stringify(name.slice(0, 140)) : typeof name;
    throw new TypeError(`${subject} must have 1 to ${maxLength} characters without "#"; got ${got}.`);
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Returns an ID with 132 random bits: `t_` and 22 characters of base64url. */
export function newTaskId(): string {
  return taskIdFrom(crypto.getRandomValues(new Uint8Array(22)));
}

/** Returns the ID with the last 6 bits of each of 22 bytes. */
export function taskIdFrom(bytes: Uint8Array): string {
  let id = "t_";
  for (const byte of bytes.subarray(0, 22)) {
    id += alphabet.charAt(byte % 64);
  }
  return id;
}
