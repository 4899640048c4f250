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
  /** The key of a server, if the host does not use its name unchanged. */
  readonly keyOf?: (name: string) => string;
  /** The property of an entry with its variables. */
  readonly envKey: string;
  /** The property with the names of variables that the host passes on, if the host has one. */
  readonly variablesKey?: string;
  /** The path of the property with the headers of a remote server. */
  readonly headersPath: readonly string[];
  /** Settings of a new entry, which the user may change. */
  readonly defaults: Readonly<Record<string, unknown>>;
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
    headersPath: ["headers"],
    defaults: {},
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
    variablesKey: "env_vars",
    headersPath: ["http_headers"],
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
  copilot: common({ type: true, reference: braces, defaults: { tools: ["*"] } }),
  zed: common({ root: "context_servers" }),
  continue: common({
    syntax: "yaml",
    isList: true,
    headersPath: ["requestOptions", "headers"],
    program: ({ command, args = [], env }, name) => ({ name, command, args, ...filled({ env }) }),
    remote: ({ url, headers }, name) => ({
      name,
      type: "streamable-http",
      url,
      ...filled({ requestOptions: filled({ headers }) }),
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
    }),
    remote: ({ url, headers }) => ({ type: "remote", url, ...filled({ headers }) }),
    defaults: { enabled: true },
  }),
  crush: common({ type: true, root: "mcp", reference: bare }),
  goose: common({
    syntax: "yaml",
    root: "extensions",
    envKey: "envs",
    variablesKey: "env_keys",
    program: ({ command, args = [], env, variables }, name) => ({
      name,
      type: "stdio",
      cmd: command,
      args,
      ...filled({ envs: env, env_keys: variables }),
    }),
    remote: ({ url, headers }, name) => ({
      name,
      type: "streamable_http",
      uri: url,
      ...filled({ headers }),
    }),
    // Goose skips remote servers without a description.
    defaults: { description: "", enabled: true, timeout: 300 },
    keyOf: (name) => name.toLowerCase(),
  }),
};
