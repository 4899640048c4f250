import { isRecord, kindOf, unknownOption } from "@tenon/base";

import type { Policy, PolicyLimits } from "../policy/policy.ts";
import type { CustomSpec, RemoteSpec, ServerSpec, StdioSpec } from "../spec.ts";
import type { Dialect } from "./dialect.ts";
import { configError } from "./problem.ts";

/** One entry, understood. */
export interface ReadServer {
  readonly spec: Exclude<ServerSpec, CustomSpec>;
  /** The unknown properties, unchanged. */
  readonly unknown: Readonly<Record<string, unknown>>;
  /** A file with more variables for the program (VS Code). */
  readonly envFile: string | undefined;
  /** Variables of this process that the program gets too, where they are set (Codex). */
  readonly variables: readonly string[];
  /** Further headers, whose values are references to variables (Codex). */
  readonly headerVariables: Readonly<Record<string, string>>;
}

const remoteTypes: Readonly<Record<string, "http" | "sse">> = {
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  streamable_http: "http",
  sse: "sse",
};

/**
 * Reads and checks properties of an entry by name. Properties that are never read are unknown.
 */
class Fields {
  readonly #entry: Readonly<Record<string, unknown>>;
  readonly #server: string;
  readonly #left: Set<string>;

  constructor(entry: Readonly<Record<string, unknown>>, server: string) {
    this.#entry = entry;
    this.#server = server;
    this.#left = new Set(Object.keys(entry));
  }

  take<T>(
    expected: string,
    check: (value: unknown) => value is T,
    ...names: readonly string[]
  ): T | undefined {
    const present = names.filter((name) => Object.hasOwn(this.#entry, name));
    present.forEach((name) => this.#left.delete(name));
    const [name] = present;
    const value = name === undefined ? undefined : this.#entry[name];
    if (value === undefined || value === null) {
      return undefined;
    }
    if (!check(value)) {
      throw configError(`${name} must be ${expected}; got ${kindOf(value)}.`, this.#server);
    }
    return value;
  }

  text(...names: readonly string[]): string | undefined {
    return this.take("a string", isText, ...names);
  }

  flag(...names: readonly string[]): boolean | undefined {
    return this.take("true or false", isFlag, ...names);
  }

  number(...names: readonly string[]): number | undefined {
    return this.take("a number above 0", isPositive, ...names);
  }

  texts(...names: readonly string[]): readonly string[] | undefined {
    return this.take("a list of strings", isTexts, ...names);
  }

  /**
   * Strings by name. Numbers and booleans, which people write without quotes, are converted to
   * strings.
   */
  map(...names: readonly string[]): Record<string, string> | undefined {
    const found = this.take("an object of strings", isScalars, ...names);
    return found && Object.fromEntries(Object.entries(found).map(([key, value]) => [key, String(value)]));
  }

  get rest(): Record<string, unknown> {
    return Object.fromEntries([...this.#left].map((name) => [name, this.#entry[name]]));
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
const isPositive = (value: unknown): value is number => typeof value === "number" && value > 0;
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isNumbers = (value: unknown): value is Record<string, number> =>
  isRecord(value) && Object.values(value).every(isPositive);
const isScalars = (value: unknown): value is Record<string, string | number | boolean> =>
  isRecord(value) &&
  Object.values(value).every((member) => isText(member) || isFlag(member) || typeof member === "number");

/**
 * Reads one entry. @throws `HostError` `INVALID_CONFIG` that names the server and the property.
 */
export function readServer(name: string, value: unknown, dialect: Dialect): ReadServer {
  if (!isRecord(value)) {
    throw configError(`The entry must be an object; got ${kindOf(value)}.`, name);
  }
  const entry = inCommonForm(value, dialect);
  const fields = new Fields(entry, name);
  if (dialect === "continue" || dialect === "goose") {
    fields.text("name");
  }
  if (dialect === "goose") {
    fields.text("description");
  }
  if (dialect === "zed") {
    fields.text("source");
  }
  const type = fields.text("type", "transport", "transportType");
  const command = fields.text("command");
  const url = fields.text("url", "serverUrl", "httpUrl");
  const enabled = fields.flag("enabled");
  const off = fields.flag("disabled") === true || enabled === false;
  const common = {
    ...(off ? { disabled: true } : {}),
    ...optional("required", fields.flag("required")),
    ...optional("lazy", fields.flag("lazy")),
    ...optional("policy", policyOf(fields)),
    ...optional("limits", fields.take("an object of numbers above 0", isNumbers, "limits")),
  };
  if ((command === undefined) === (url === undefined)) {
    const [found, advice] = command === undefined ? ["neither", misspelt(fields.rest)] : ["both", ""];
    throw configError(`Either command or url must be set; got ${found}.${advice}`, name);
  }
  if (command !== undefined) {
    if (type !== undefined && type !== "stdio") {
      throw configError(`type must be stdio if command is set; got ${JSON.stringify(type)}.`, name);
    }
    const spec: StdioSpec = {
      type: "stdio",
      command,
      ...optional("args", fields.texts("args")),
      ...optional("env", fields.map("env")),
      ...optional("cwd", fields.text("cwd")),
      ...common,
    };
    const [envFile, variables = []] = [fields.text("envFile"), fields.texts("env_vars")];
    return { spec, envFile, variables, headerVariables: {}, unknown: fields.rest };
  }
  const remote =
    type === undefined ? "http" : Object.hasOwn(remoteTypes, type) ? remoteTypes[type] : undefined;
  if (remote === undefined || url === undefined) {
    const known = Object.keys(remoteTypes).join(", ");
    throw configError(`type must be one of ${known} if url is set; got ${JSON.stringify(type)}.`, name);
  }
  const inner = fields.take("an object", isRecord, "requestOptions");
  const headers = fields.map("headers", "http_headers") ?? new Fields(inner ?? {}, name).map("headers");
  const spec: RemoteSpec = {
    type: remote,
    url,
    ...optional("headers", headers),
    ...optional("proxy", fields.take("the URL of a proxy, or false", isProxy, "proxy")),
    ...common,
  };
  const token = fields.text("bearer_token_env_var");
  const headerVariables = Object.fromEntries(
    Object.entries(fields.map("env_http_headers") ?? {}).map(([header, from]) => [header, `\${env:${from}}`]),
  );
  if (token !== undefined) {
    headerVariables["Authorization"] = `Bearer \${env:${token}}`;
  }
  return { spec, envFile: undefined, variables: [], headerVariables, unknown: fields.rest };
}

function isProxy(value: unknown): value is string | false {
  return value === false || (typeof value === "string" && value !== "");
}

/** The properties with the address of a server. */
const addressNames = "command url serverUrl httpUrl";

/** Names the unknown property that was probably meant to be the command or the URL. */
function misspelt(unknown: Readonly<Record<string, unknown>>): string {
  const found = Object.keys(unknown)
    .map((name) => unknownOption("An entry", { [name]: true }, addressNames))
    .find((problem) => problem?.includes("Did you mean"));
  return found === undefined ? "" : ` ${found}`;
}

/** An entry with the names, the forms and the units of the dialect `mcpServers`. */
function inCommonForm(value: Readonly<Record<string, unknown>>, dialect: Dialect): Record<string, unknown> {
  switch (dialect) {
    case "zed":
      return isRecord(value["command"]) ? unnested(value) : value;
    case "opencode": {
      const { type, command, environment, timeout, ...rest } = value;
      const [program, ...args] = Array.isArray(command) ? (command as unknown[]) : [command];
      return {
        ...rest,
        ...optional("type", type === "local" ? "stdio" : type === "remote" ? "http" : type),
        ...optional("command", program),
        ...(args.length === 0 ? {} : { args }),
        ...optional("env", environment),
        // The time in which the tools must be listed, in milliseconds.
        ...optional("startup_timeout_ms", timeout),
      };
    }
    case "crush": {
      const { timeout, ...rest } = value;
      return { ...rest, ...optional("tool_timeout_sec", timeout) };
    }
    case "goose": {
      const { config, ...outer } = value;
      const { cmd, uri, envs, env_keys, timeout, available_tools, ...rest } = {
        ...outer,
        ...(isRecord(config) ? config : {}),
      };
      const isAny = Array.isArray(available_tools) && available_tools.length === 0;
      return {
        ...rest,
        ...optional("command", cmd),
        ...optional("url", uri),
        ...optional("env", envs),
        ...optional("env_vars", env_keys),
        ...optional("tool_timeout_sec", timeout),
        ...optional("tools", isAny ? undefined : available_tools),
      };
    }
    default:
      return value;
  }
}

/** Zed's older form: `{ command: { path, args, env } }`. */
function unnested(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { command, ...rest } = value;
  const { path, ...more } = command as Record<string, unknown>;
  return { ...rest, ...more, command: path };
}

/** Maximum `timeout` that Cline and Roo Code know, in seconds. */
const maxSeconds = 3600;

/**
 * A `timeout` in milliseconds. Hosts disagree on its unit, and files do not say whose they are:
 * it is seconds for Cline, Roo Code and Zed, which take at most an hour, and milliseconds for
 * Claude Code, Gemini CLI, Copilot and Amazon Q, where less than a few seconds makes no sense. A
 * time that is too long does less harm than one that ends every call.
 */
function milliseconds(timeout: number | undefined): number | undefined {
  return timeout !== undefined && timeout <= maxSeconds ? timeout * 1000 : timeout;
}

function policyOf(fields: Fields): Policy | undefined {
  const seconds = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : value * 1000;
  const connectMs =
    seconds(fields.number("startup_timeout_sec")) ?? fields.number("startup_timeout_ms", "connectionTimeout");
  const totalMs = seconds(fields.number("tool_timeout_sec")) ?? milliseconds(fields.number("timeout"));
  const limits: PolicyLimits = {
    ...optional("connectTimeoutMs", connectMs && Math.max(1, connectMs)),
    ...optional("totalTimeoutMs", totalMs && Math.max(1, totalMs)),
  };
  const allow = fields.texts("tools", "enabled_tools", "includeTools");
  const denied = ["disabled_tools", "disabledTools", "excludeTools"].map((name) => fields.texts(name));
  const policy: Policy = {
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...optional("allow", allow),
    ...optional(
      "deny",
      denied.every((names) => names === undefined) ? undefined : denied.flatMap((names) => names ?? []),
    ),
  };
  return Object.keys(policy).length === 0 ? undefined : policy;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}
