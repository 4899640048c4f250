import { ShipError } from "../error.ts";
import type { HostName } from "./host-files.ts";

/** A program that a host starts. */
export interface ProgramEntry {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables with their values, which the configuration file then contains. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Names of variables whose values the host takes from its own environment. The file contains a
   * reference instead of the value.
   */
  readonly variables?: readonly string[] | undefined;
}

/** A remote server, over Streamable HTTP. */
export interface RemoteEntry {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The format of the servers in the file of a host. */
export interface Form {
  readonly syntax: "json" | "toml" | "yaml";
  /** The key of the object, or of the list, that contains the servers. */
  readonly root: string;
  /** Whether the servers are a list, whose entries contain their names. */
  readonly isList?: boolean;
  /** The property of an entry with its variables. */
  readonly envKey: string;
  program(entry: ProgramEntry, name: string): Record<string, unknown>;
  /** Absent if the file of the host has programs only. */
  readonly remote?: ((entry: RemoteEntry, name: string) => Record<string, unknown>) | undefined;
  /** A reference to a variable of the host's environment. Absent if the host knows none. */
  readonly reference?: (variable: string) => string;
  /** A new file, if it needs more than the servers. */
  readonly blank?: string;
}

/** Properties that are left out if they are empty. */
function filled(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).filter(
      ([, value]) =>
        value !== undefined && (typeof value !== "object" || Object.keys(value as object).length > 0),
    ),
  );
}

/** The most frequent form: `command`, `args` and `env` below `mcpServers`. */
function common(form: Partial<Form> & { readonly type?: boolean } = {}): Form {
  const { type = false, ...rest } = form;
  return {
    syntax: "json",
    root: "mcpServers",
    envKey: "env",
    program: ({ command, args = [], env }) => ({
      ...(type ? { type: "stdio" } : {}),
      command,
      args,
      ...filled({ env }),
    }),
    remote: ({ url, headers }) => ({ ...(type ? { type: "http" } : {}), url, ...filled({ headers }) }),
    ...rest,
  };
}

const braces = (variable: string): string => `\${${variable}}`;
const bracesWithEnv = (variable: string): string => `\${env:${variable}}`;
const bare = (variable: string): string => `$${variable}`;

/** The forms of all hosts. */
export const forms: Readonly<Record<HostName, Form>> = {
  "claude-code": common({ type: true, reference: braces }),
  "claude-desktop": common({ remote: undefined }),
  cursor: common({ reference: bracesWithEnv }),
  vscode: common({ type: true, root: "servers", reference: bracesWithEnv }),
  windsurf: common({
    reference: bracesWithEnv,
    remote: ({ url, headers }) => ({ serverUrl: url, ...filled({ headers }) }),
  }),
  codex: common({
    syntax: "toml",
    root: "mcp_servers",
    program: ({ command, args = [], env, variables }) => ({
      command,
      args,
      ...filled({ env_vars: variables, env }),
    }),
    remote: ({ url, headers }) => ({ url, ...filled({ http_headers: headers }) }),
  }),
  gemini: common({
    reference: bare,
    remote: ({ url, headers }) => ({ httpUrl: url, ...filled({ headers }) }),
  }),
  copilot: common({
    program: ({ command, args = [], env }) => ({
      type: "stdio",
      command,
      args,
      ...filled({ env }),
      tools: ["*"],
    }),
    remote: ({ url, headers }) => ({ type: "http", url, ...filled({ headers }), tools: ["*"] }),
  }),
  zed: common({ root: "context_servers" }),
  continue: common({
    syntax: "yaml",
    isList: true,
    program: ({ command, args = [], env }, name) => ({ name, command, args, ...filled({ env }) }),
    remote: ({ url, headers }, name) => ({
      name,
      type: "streamable-http",
      url,
      ...filled({ requestOptions: headers === undefined ? undefined : { headers } }),
    }),
    blank: "name: Local Config\nversion: 1.0.0\nschema: v1\n",
  }),
  amp: common({ root: "amp.mcpServers", reference: braces }),
  opencode: common({
    root: "mcp",
    envKey: "environment",
    reference: (variable) => `{env:${variable}}`,
    program: ({ command, args = [], env }) => ({
      type: "local",
      command: [command, ...args],
      ...filled({ environment: env }),
      enabled: true,
    }),
    remote: ({ url, headers }) => ({ type: "remote", url, ...filled({ headers }), enabled: true }),
  }),
  crush: common({ type: true, root: "mcp", reference: bare }),
  goose: common({
    syntax: "yaml",
    root: "extensions",
    envKey: "envs",
    program: ({ command, args = [], env, variables }, name) => ({
      name,
      type: "stdio",
      cmd: command,
      args,
      ...filled({ envs: env, env_keys: variables }),
      enabled: true,
      timeout: 300,
    }),
    remote: ({ url, headers }, name) => ({
      name,
      type: "streamable_http",
      uri: url,
      ...filled({ headers }),
      enabled: true,
      timeout: 300,
    }),
  }),
};

/** Properties with the address of a server, in any form. Others belong to the user. */
const addresses = new Set(
  "type command args cmd url uri serverUrl httpUrl headers http_headers requestOptions env_vars env_keys".split(
    " ",
  ),
);

/**
 * The entry of a server in the form of a host. Properties of an earlier entry that are settings of
 * the user are kept, and so are the values of its variables.
 *
 * @throws `ShipError` `UNSUPPORTED` if the file of the host cannot contain such a server.
 */
export function entryFor(
  host: HostName,
  title: string,
  name: string,
  server: ProgramEntry | RemoteEntry,
  earlier: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const form = forms[host];
  const kept = Object.fromEntries(Object.entries(earlier ?? {}).filter(([key]) => !addresses.has(key)));
  if ("url" in server) {
    if (form.remote === undefined) {
      throw new ShipError("UNSUPPORTED", `The configuration file of ${title} contains programs only.`, {
        hint: `add the URL in the settings of ${title}`,
      });
    }
    delete kept[form.envKey];
    return { ...form.remote(server, name), ...withoutKeysOf(kept, form.remote(server, name)) };
  }
  const { variables = [], env = {} } = server;
  const isNative = host === "codex" || host === "goose";
  if (variables.length > 0 && form.reference === undefined && !isNative) {
    const [first = ""] = variables;
    throw new ShipError("UNSUPPORTED", `${title} cannot take the value of ${first} from its environment.`, {
      hint: `write the value into its file: --env ${first}=value`,
    });
  }
  const earlierEnv = kept[form.envKey] as Readonly<Record<string, string>> | undefined;
  const references = isNative
    ? {}
    : Object.fromEntries(variables.map((variable) => [variable, form.reference?.(variable) ?? ""]));
  const made = form.program({ ...server, env: { ...earlierEnv, ...references, ...env } }, name);
  return { ...made, ...withoutKeysOf(kept, { ...made, [form.envKey]: undefined }) };
}

function withoutKeysOf(
  properties: Readonly<Record<string, unknown>>,
  others: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !Object.hasOwn(others, key)));
}
