/** The digest of bytes, as entries have it: `sha256:` and 64 hexadecimal digits. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  // No view here is one of shared memory, which some runtimes refuse.
  const own = bytes as Uint8Array<ArrayBuffer>;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", own));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
