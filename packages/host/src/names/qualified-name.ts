import { sha256 } from "./sha256.ts";

/**
 * Maximum length of a name that every model vendor accepts. Some vendors reject a whole turn
 * because of one longer name.
 */
const maxLength = 64;
const hashLength = 8;
const plainPart = /^[a-zA-Z0-9_-]+$/;
const looksHashed = new RegExp(`_[0-9a-f]{${hashLength}}$`);

/** The prefix of every qualified name. */
export const namePrefix = "mcp__";

/**
 * `mcp__<server>__<tool>`, if no other pair has this name: both parts use the allowed characters,
 * the server's part neither contains `__` nor ends with `_` (so the first `__` after the prefix is
 * the border), the name is short enough, and it does not look like a {@link hashedName}. Otherwise
 * `undefined`.
 */
export function plainName(server: string, tool: string): string | undefined {
  const name = `${namePrefix}${server}__${tool}`;
  const isPlain =
    name.length <= maxLength &&
    plainPart.test(server) &&
    plainPart.test(tool) &&
    !server.includes("__") &&
    !server.endsWith("_") &&
    !looksHashed.test(name);
  return isPlain ? name : undefined;
}

/** Whether a tool of this server may have a qualified name. */
export function mayBeOf(name: string, server: string): boolean {
  return name.startsWith(headOf(server, ""));
}

function headOf(server: string, tool: string): string {
  return `${namePrefix}${server}__${tool}`
    .replaceAll(/[^a-zA-Z0-9_-]/g, "_")
    .slice(0, maxLength - hashLength - 1);
}

/**
 * The readable head of `mcp__<server>__<tool>`, and 8 hexadecimal digits of the SHA-256 of the two
 * unmodified names.
 *
 * @param salt - 0, or the number of other pairs with this name.
 */
export function hashedName(server: string, tool: string, salt: number): string {
  const raw = JSON.stringify(salt === 0 ? [server, tool] : [server, tool, salt]);
  return `${headOf(server, tool)}_${sha256(raw).slice(0, hashLength)}`;
}
