import { isRecord, unknownOption } from "@tenon/base";

import { configError } from "./problem.ts";

/**
 * The configuration files that are read: `mcpServers` of Claude, Cursor, Windsurf, Cline and
 * Copilot, and the formats of other hosts.
 */
export type Dialect =
  | "mcpServers"
  | "gemini"
  | "amp"
  | "vscode"
  | "zed"
  | "codex"
  | "continue"
  | "opencode"
  | "crush"
  | "goose";

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
  { key: "amp.mcpServers", dialect: "amp" },
];

/**
 * Finds the servers in a configuration. An empty file has no servers. A file of
 * settings has none if no key is similar to the key of a dialect for servers.
 *
 * @param wanted - The dialect that the file must be of. Default: whichever it is.
 * @throws `HostError` `INVALID_CONFIG` if there is more than one key that a dialect keeps its
 *   servers under, or one that is nearly such a key; the message names the keys.
 */
export function findEntries(config: unknown, wanted: Dialect | undefined, where: string): Entries {
  if (config === undefined || config === null) {
    return { dialect: wanted ?? "mcpServers", servers: {}, inputs: [] };
  }
  if (!isRecord(config)) {
    throw configError(`${where} holds no object.`);
  }
  // VS Code's settings.json has the same under "mcp".
  const nested = config["mcp"];
  const holder = isRecord(nested) && isRecord(nested["servers"]) ? nested : config;
  const found = roots.filter(({ key }) => Object.hasOwn(holder, key));
  const [root = lessCommon(config)] = found;
  if (root === undefined ? looksLikeServers(config) : found.length > 1) {
    const keys = Object.keys(config).slice(0, 10).join(", ");
    const known = roots.map(({ key }) => key).join(", ");
    const problem = root === undefined ? "none of" : "more than one of";
    throw configError(
      `${where} has ${problem} the keys that servers are kept under (${known}). It has: ${keys}.`,
    );
  }
  if (root === undefined) {
    return { dialect: wanted ?? "mcpServers", servers: {}, inputs: [] };
  }
  const value = holder[root.key] ?? {};
  const isList = (root.key === "mcpServers" || root.dialect === "goose") && Array.isArray(value);
  const seen = root.dialect === "mcpServers" ? (isList ? "continue" : ownerOf(value)) : root.dialect;
  const dialect = wanted !== undefined && isAlike(wanted, seen) ? wanted : seen;
  if (wanted !== undefined && wanted !== dialect) {
    throw configError(
      `${where} is of the dialect ${dialect}, not ${wanted}: its servers are under ${root.key}.`,
    );
  }
  if (!isList && !isRecord(value)) {
    throw configError(`${where}: ${root.key} must be an object of servers by name.`);
  }
  const inputs: unknown = holder["inputs"];
  const servers = isList ? byName(value, root.key, where) : (value as Record<string, unknown>);
  return {
    dialect,
    servers: dialect === "goose" ? withoutBuiltIn(servers) : servers,
    inputs: Array.isArray(inputs) ? inputs : [],
  };
}

/** Dialects that keep their servers under the same key, and differ in variables and units. */
function isAlike(wanted: Dialect, seen: Dialect): boolean {
  return families.some((family) => family.includes(wanted) && family.includes(seen));
}

const families: readonly (readonly Dialect[])[] = [
  ["mcpServers", "gemini"],
  ["opencode", "crush"],
];

/** The properties that only Gemini CLI and its derivatives have. */
const ofGemini = ["httpUrl", "trust", "includeTools", "excludeTools", "authProviderType"];

function ownerOf(servers: unknown): Dialect {
  const isGemini = entriesOf(servers).some((entry) => ofGemini.some((name) => Object.hasOwn(entry, name)));
  return isGemini ? "gemini" : "mcpServers";
}

/**
 * Keys that other settings may also have, so that the entries decide: `mcp` of opencode and Crush,
 * `extensions` of Goose.
 */
function lessCommon(
  config: Readonly<Record<string, unknown>>,
): { readonly key: string; readonly dialect: Dialect } | undefined {
  const { mcp, extensions } = config;
  if (isRecord(mcp) && Object.values(mcp).every(isRecord)) {
    const isOpencode = entriesOf(mcp).some(
      ({ type, command, environment }) =>
        type === "local" || type === "remote" || Array.isArray(command) || environment !== undefined,
    );
    return { key: "mcp", dialect: isOpencode ? "opencode" : "crush" };
  }
  const isGoose = entriesOf(extensions).some(({ type, cmd, uri, config: inner }) =>
    [type, cmd, uri, inner].some((value) => value !== undefined),
  );
  return isGoose ? { key: "extensions", dialect: "goose" } : undefined;
}

function entriesOf(servers: unknown): Readonly<Record<string, unknown>>[] {
  return isRecord(servers) || Array.isArray(servers) ? Object.values(servers).filter(isRecord) : [];
}

/** Whether a file without a known key has servers under a key with a typo. */
function looksLikeServers(config: Readonly<Record<string, unknown>>): boolean {
  const known = roots.map(({ key }) => key);
  return Object.entries(config).some(
    ([key, value]) =>
      unknownOption("A file", { [key]: true }, known)?.includes("Did you mean") === true ||
      [value, ...entriesOf(value)].some(
        (entry) =>
          isRecord(entry) && (typeof entry["command"] === "string" || typeof entry["url"] === "string"),
      ),
  );
}

/** Extensions that are parts of Goose, and no servers. */
const builtIn: ReadonlySet<unknown> = new Set(["builtin", "platform", "frontend", "inline_python"]);

function withoutBuiltIn(servers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers).filter(([, entry]) => {
      const { type, config } = isRecord(entry) ? entry : {};
      return !builtIn.has(type) && !(isRecord(config) && builtIn.has(config["type"]));
    }),
  );
}

/** A list of Continue or Goose, whose entries have their names inside. */
function byName(list: readonly unknown[], key: string, where: string): Record<string, unknown> {
  const servers = new Map<string, unknown>();
  for (const entry of list) {
    const name = isRecord(entry) ? entry["name"] : undefined;
    if (typeof name !== "string" || servers.has(name)) {
      throw configError(
        `${where}: every entry of ${key} needs a name of its own; got ${JSON.stringify(name)}.`,
      );
    }
    servers.set(name, entry);
  }
  return Object.fromEntries(servers);
}
