import { isRecord } from "@tenon/jsonrpc2/transport";

import { configError } from "./problem.ts";

/** The configuration files that are read. */
export type Dialect = "mcpServers" | "vscode" | "zed" | "codex" | "continue";

/** The entries of a configuration, by server, and what else is in it. */
export interface Entries {
  readonly dialect: Dialect;
  readonly servers: Readonly<Record<string, unknown>>;
  /** Definitions of `${input:…}` (VS Code). */
  readonly inputs: readonly unknown[];
}

/** The property that contains the servers in each dialect. */
const roots: readonly { readonly key: string; readonly dialect: Dialect }[] = [
  { key: "mcpServers", dialect: "mcpServers" },
  { key: "servers", dialect: "vscode" },
  { key: "context_servers", dialect: "zed" },
  { key: "mcp_servers", dialect: "codex" },
];

/**
 * Finds the servers in a configuration.
 *
 * @param wanted - The dialect that the file must be of. Default: whichever it is.
 * @throws `HostError` `INVALID_CONFIG` if there is no key, or more than one, that a dialect keeps
 *   its servers under; the message names the keys.
 */
export function findEntries(config: unknown, wanted: Dialect | undefined, where: string): Entries {
  if (!isRecord(config)) {
    throw configError(`${where} holds no object.`);
  }
  // VS Code's settings.json has the same under "mcp".
  const nested = config["mcp"];
  const holder = isRecord(nested) && isRecord(nested["servers"]) ? nested : config;
  const found = roots.filter(({ key }) => Object.hasOwn(holder, key));
  const [root] = found;
  if (root === undefined || found.length > 1) {
    const keys = Object.keys(config).slice(0, 10).join(", ");
    const known = roots.map(({ key }) => key).join(", ");
    const problem = root === undefined ? "none of" : "more than one of";
    throw configError(
      `${where} has ${problem} the keys that servers are kept under (${known}). It has: ${keys}.`,
    );
  }
  const value = holder[root.key];
  const isList = root.key === "mcpServers" && Array.isArray(value);
  const dialect = isList ? "continue" : root.dialect;
  if (wanted !== undefined && wanted !== dialect) {
    throw configError(
      `${where} is of the dialect ${dialect}, not ${wanted}: its servers are under ${root.key}.`,
    );
  }
  if (!isList && !isRecord(value)) {
    throw configError(`${where}: ${root.key} must be an object of servers by name.`);
  }
  const inputs: unknown = holder["inputs"];
  return {
    dialect,
    servers: isList ? byName(value, where) : (value as Record<string, unknown>),
    inputs: Array.isArray(inputs) ? inputs : [],
  };
}

/** Continue's list, whose entries have their names inside. */
function byName(list: readonly unknown[], where: string): Record<string, unknown> {
  const servers = new Map<string, unknown>();
  for (const entry of list) {
    const name = isRecord(entry) ? entry["name"] : undefined;
    if (typeof name !== "string" || servers.has(name)) {
      throw configError(
        `${where}: every entry of mcpServers needs a name of its own; got ${JSON.stringify(name)}.`,
      );
    }
    servers.set(name, entry);
  }
  return Object.fromEntries(servers);
}
