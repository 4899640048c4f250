import { isRecord } from "@tenon/base";
import type { ClientSession } from "@tenon/mcp";

import { definitionsOf, type Definitions } from "./collect.ts";

/** The content of a lock file: the definitions of a server at one time. Plain JSON. */
export interface Lock {
  /** The version of the format. */
  readonly tenon: 1;
  /** The name and the version that the server gave. */
  readonly server: { readonly name: string; readonly version: string };
  readonly definitions: Definitions;
}

const lists = ["tools", "prompts", "resources", "resourceTemplates"] as const;

/**
 * The lock of a connected server. Equal definitions give an equal lock, whatever their order.
 *
 * @throws Whatever prevents a list.
 */
export async function lockOf(session: ClientSession): Promise<Lock> {
  const { name = "unknown", version = "unknown" } = session.serverInfo ?? {};
  return { tenon: 1, server: { name, version }, definitions: await definitionsOf(session) };
}

/** Formats a lock file, such as `tenon.lock.json`: indented JSON that ends with a line break. */
export function formatLock(lock: Lock): string {
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

/**
 * Reads the text of a lock file.
 *
 * @throws `SyntaxError` for text that is not a lock. The message names the part that is wrong.
 */
export function parseLock(text: string): Lock {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SyntaxError("Expected JSON in the lock file. Write the file with formatLock.", {
      cause: error,
    });
  }
  if (!isRecord(value) || value["tenon"] !== 1) {
    throw new SyntaxError('Expected "tenon": 1 at the top of the lock file. Write the file with formatLock.');
  }
  const { server, definitions } = value;
  if (!isRecord(server) || typeof server["name"] !== "string" || typeof server["version"] !== "string") {
    throw new SyntaxError('Expected "server" with "name" and "version" in the lock file.');
  }
  for (const list of lists) {
    const items = isRecord(definitions) ? definitions[list] : undefined;
    if (!Array.isArray(items) || !items.every(isRecord)) {
      throw new SyntaxError(`Expected a list of objects at /definitions/${list} of the lock file.`);
    }
  }
  return value as unknown as Lock;
}
