import { isRecord } from "@tenon/base";

import { checkOptionNames, limitsOf, managerLimits, type ManagerLimits } from "../limits.ts";
import { isSocketUrl, type CustomSpec, type RemoteSpec, type ServerSpec, type StdioSpec } from "../spec.ts";
import { findEntries, type Dialect } from "./dialect.ts";
import { parseText, type Syntax } from "./parse-text.ts";
import { configError, unreadable } from "./problem.ts";
import { readServer, type ReadServer } from "./read-server.ts";
import { redactSpec } from "./redact.ts";
import { trustHash } from "./trust.ts";
import { placesOf, substitute, valuesOf, type Resolve, type VariableSources } from "./variables.ts";

/** Options of {@link parseConfig}. */
export interface ParseConfigOptions extends VariableSources {
  /** The syntax of the text. Default: `"json"`, with comments and trailing commas. */
  readonly syntax?: Syntax | undefined;
  /**
   * The dialect of the configuration. By default it is detected by the key that contains the
   * servers.
   */
  readonly dialect?: Dialect | undefined;
  /**
   * The name of the text in error messages, such as the file's name. Default:
   * `"The configuration"`.
   */
  readonly where?: string | undefined;
  /**
   * Limits on the configuration: `maxServers`, as for a manager. Each limit has its own default.
   */
  readonly limits?: Pick<ManagerLimits, "maxServers"> | undefined;
}

const limitRules = { maxServers: managerLimits.maxServers };

/** One configured server. */
export interface ConfiguredServer {
  readonly name: string;
  /** With its variables filled in: it holds secrets. */
  readonly spec: Exclude<ServerSpec, CustomSpec>;
  /** To be shown and logged in place of `spec`. */
  readonly redacted: Exclude<ServerSpec, CustomSpec>;
  /** The unknown properties of the entry, unchanged, without replaced variables. */
  readonly unknown: Readonly<Record<string, unknown>>;
  /**
   * A {@link trustHash} of the entry, in which values of environment variables and headers that
   * come from a `${variable}` or an input do not count.
   */
  readonly trust: string;
}

/** A configuration, understood. */
export interface Config {
  readonly dialect: Dialect;
  readonly servers: readonly ConfiguredServer[];
  /**
   * The entries that are not in `servers`, by name, and why: an unknown form, a variable without a
   * value. Show them: a manager does not know of these servers. The messages do not contain the
   * name, so that you can write it in front of them.
   */
  readonly errors: ReadonlyMap<string, Error>;
  /** The ids of all `${input:…}` that the file defines (VS Code). */
  readonly inputs: readonly string[];
}

/**
 * Parses a configuration file of any dialect: the `mcpServers` of Claude, Cursor, Windsurf, Cline,
 * Copilot, Gemini CLI and Amp, VS Code's `servers` with inputs, Zed's `context_servers`, the `mcp`
 * of opencode and Crush, Codex's TOML, and the YAML of Continue and Goose. An invalid entry does
 * not affect the others. An empty file, and a file of settings without servers, have no servers.
 *
 * @param source - The text, or the parsed value.
 * @throws `HostError` `INVALID_CONFIG` if `source` is not such a configuration.
 *   `INVALID_OPTION` for options that do not exist or are out of range.
 */
export function parseConfig(source: unknown, options: ParseConfigOptions = {}): Config {
  const { syntax = "json", where = "The configuration" } = options;
  checkOptionNames(
    "parseConfig",
    options,
    "env inputs places syntax dialect where readFile limits",
    limitRules,
  );
  const { maxServers } = limitsOf(options.limits, limitRules);
  const parsed = typeof source === "string" ? parseText(source, syntax, where) : source;
  const entries = findEntries(parsed, options.dialect, where);
  const named = Object.entries(entries.servers);
  if (named.length > maxServers) {
    throw configError(`${where} has ${named.length} servers; there may be ${maxServers} (maxServers).`);
  }
  const servers: ConfiguredServer[] = [];
  const errors = new Map<string, Error>();
  for (const [name, value] of named) {
    try {
      servers.push(configure(name, value, entries.dialect, options));
    } catch (error) {
      errors.set(name, error as Error);
    }
  }
  const inputs = entries.inputs.flatMap((input) =>
    isRecord(input) && typeof input["id"] === "string" ? [input["id"]] : [],
  );
  return { dialect: entries.dialect, servers, errors, inputs };
}

function configure(
  name: string,
  value: unknown,
  dialect: Dialect,
  options: ParseConfigOptions,
): ConfiguredServer {
  const entry = readServer(name, value, dialect);
  const { spec: raw, unknown } = entry;
  // A server that is off needs no values.
  if (raw.disabled === true) {
    return { name, spec: raw, redacted: redactSpec(raw), unknown, trust: trustHash(raw) };
  }
  const secrets = new Set<string>();
  const values = valuesOf(options, name, (secret) => secrets.add(secret));
  const file =
    entry.envFile === undefined
      ? {}
      : readEnvFile(substitute(entry.envFile, values, dialect) as string, name, options);
  const spec = completed(entry, file, options, values, dialect);
  if (spec.type !== "stdio" && !isAddress(spec)) {
    const example = '"https://mcp.example.com/mcp"';
    throw configError(`url must be an http or https URL, such as ${example}.`, name);
  }
  const written = completed(entry, file, options, placesOf(options), dialect);
  const trust = trustHash(
    spec.type === "stdio"
      ? { ...spec, env: (written as StdioSpec).env }
      : { ...spec, headers: (written as RemoteSpec).headers },
  );
  return { name, spec, redacted: redactSpec(spec, secrets), unknown, trust };
}

/** Sockets are for Streamable HTTP only. */
function isAddress({ type, url }: RemoteSpec): boolean {
  return URL.canParse(url) && (/^https?:/i.test(url) || (type === "http" && isSocketUrl(url)));
}

/**
 * Returns the spec of an entry with its references resolved and with the variables that the entry
 * names, from an `envFile` or from this process.
 */
function completed(
  { spec, variables, headerVariables }: ReadServer,
  file: Readonly<Record<string, string>>,
  { env = {} }: VariableSources,
  resolve: Resolve,
  dialect: Dialect,
): ReadServer["spec"] {
  const filled = substitute(spec, resolve, dialect) as ReadServer["spec"];
  if (filled.type === "stdio") {
    const present = variables.filter((name) => Object.hasOwn(env, name) && env[name] !== undefined);
    const passed = present.map((name) => [name, resolve(`env:${name}`, `\${env:${name}}`)]);
    const all = { ...file, ...Object.fromEntries(passed), ...filled.env };
    return Object.keys(all).length === 0 ? filled : { ...filled, env: all };
  }
  const named = Object.entries(headerVariables).map(([header, text]) => [header, substitute(text, resolve)]);
  return named.length === 0
    ? filled
    : { ...filled, headers: { ...filled.headers, ...Object.fromEntries(named) } };
}

/** `NAME=value` lines, with `#` comments, an optional `export` and quotes around values. */
function readEnvFile(path: string, server: string, { readFile }: ParseConfigOptions): Record<string, string> {
  if (readFile === undefined) {
    const message = "An envFile requires the option readFile.";
    throw configError(message, server);
  }
  let text: string;
  try {
    text = readFile(path);
  } catch (cause) {
    throw configError(unreadable("The envFile", cause), server, cause);
  }
  const variables = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const equals = line.indexOf("=");
    const [, name] = /^(?:export\s+)?([A-Za-z_]\w*)$/.exec(line.slice(0, Math.max(0, equals)).trim()) ?? [];
    if (name !== undefined) {
      const value = line.slice(equals + 1).trim();
      const [, , quoted] = /^(["'])(.*)\1$/.exec(value) ?? [];
      variables.set(name, quoted ?? value);
    }
  }
  return Object.fromEntries(variables);
}
