import { isRecord } from "@tenon/base";
import type { ClientSession } from "@tenon/mcp";

/** Maximum number of tools of a session whose support for tasks is remembered. */
const maxTools = 10_000;

const noted = new WeakMap<ClientSession, Map<string, unknown>>();

/**
 * Remembers which tools of a page of `tools/list` support tasks (2025-11-25).
 *
 * @source R-674
 */
export function noteSupport(session: ClientSession, page: Readonly<Record<string, unknown>>): void {
  const tools = page["tools"];
  if (session.era === "modern" || !Array.isArray(tools)) {
    return;
  }
  const known = noted.get(session) ?? new Map<string, unknown>();
  noted.set(session, known);
  for (const tool of tools) {
    if (isRecord(tool) && typeof tool["name"] === "string" && known.size < maxTools) {
      const { execution } = tool;
      known.set(tool["name"], isRecord(execution) ? execution["taskSupport"] : undefined);
    }
  }
}

/** Whether a tool was listed in a session. */
export function isListed(session: ClientSession, tool: unknown): boolean {
  return noted.get(session)?.has(String(tool)) === true;
}

/** The support of a tool as it was listed last; `undefined` if it was not listed. */
export function supportOf(session: ClientSession, tool: unknown): unknown {
  return noted.get(session)?.get(String(tool));
}
