import { McpError } from "../../base/error.ts";

const label = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const segment = "/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";
/** The names of the protocol's own extensions may have further segments: `…/auth/dpop`. */
const pattern = /* @__PURE__ */ new RegExp(
  `^(?:${label}(?:\\.${label})*${segment}|${label}\\.(?:mcp|modelcontextprotocol)(?:\\.${label})*(?:${segment}){2,4})$`,
);
/** Maximum length of the name of an extension or of one of its messages. */
export const maxNameLength = 256;

/**
 * Checks the name of an extension.
 *
 * @throws `McpError` `INVALID_DEFINITION`.
 * @source R-691
 */
export function checkIdentifier(id: string): void {
  if (id.length > maxNameLength || !pattern.test(id)) {
    const got = JSON.stringify(id.slice(0, maxNameLength));
    const message = `Extension name must be a prefix and a name, such as com.example/counter; got ${got}.`;
    throw new McpError("INVALID_DEFINITION", message);
  }
}
