import { isRecord } from "@tenon/base";

import { HostError } from "../error.ts";
import type { Dialect } from "./dialect.ts";
import { configError } from "./problem.ts";

/** The sources of variables. */
export interface VariableSources {
  /** Values for `${NAME}`, `${env:NAME}` and `${NAME:-default}`. By default no variable is set. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For `${input:id}`: the user's inputs by ID. */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
  /** For `${workspaceFolder}`, `${userHome}` and the like, by name. */
  readonly places?: Readonly<Record<string, string>> | undefined;
  /**
   * Reads an `envFile`, or the file of a `{file:path}` of opencode. Default: an entry with one is
   * an error.
   */
  readonly readFile?: ((path: string) => string) | undefined;
}

/** Returns the value of a reference. @param whole - The complete reference, including `${…}`. */
export type Resolve = (name: string, whole: string) => string;

/** References to variables: `${NAME}`, and `$NAME` or `{env:NAME}` and `{file:path}`. */
const references: Readonly<Record<"braces" | "bare" | "opencode", RegExp>> = {
  braces: /\$\{([^${}]*)\}/g,
  bare: /\$\{([^${}]*)\}|\$([A-Za-z_]\w*)/g,
  opencode: /\$\{([^${}]*)\}|\{((?:env|file):[^{}]*)\}/g,
};

/** The hosts whose files name variables without braces. */
const bareDialects: ReadonlySet<Dialect> = new Set(["gemini", "crush", "goose"]);

/**
 * Replaces references to variables in every string of a value, once: references in the value of a
 * variable are not replaced. There is no shell: backticks and `$(…)` are not run.
 *
 * @param dialect - Whose references: `${…}` of every host, `$NAME` of Gemini CLI, Crush and Goose,
 *   `{env:NAME}` and `{file:path}` of opencode.
 * @throws `HostError` `INVALID_CONFIG` for `$(…)` in a file of Crush, which would run it.
 */
export function substitute(value: unknown, resolve: Resolve, dialect: Dialect = "mcpServers"): unknown {
  const kind = dialect === "opencode" ? "opencode" : bareDialects.has(dialect) ? "bare" : "braces";
  const inside = (item: unknown): unknown => {
    if (typeof item === "string") {
      if (dialect === "crush" && item.includes("$(")) {
        throw configError("Commands such as $(…) are not run. Use a variable instead.");
      }
      return item.replaceAll(references[kind], (whole, name?: string, other?: string) =>
        resolve(name ?? other ?? "", whole),
      );
    }
    if (Array.isArray(item)) {
      return item.map(inside);
    }
    return isRecord(item)
      ? Object.fromEntries(Object.entries(item).map(([key, member]) => [key, inside(member)]))
      : item;
  };
  return inside(value);
}

/**
 * Resolves references to their values.
 *
 * @param onSecret - Called with every value that came from a variable, an input or the environment.
 * @throws `HostError` `MISSING_VARIABLE` that names what has no value, and where.
 */
export function valuesOf(
  sources: VariableSources,
  server: string,
  onSecret: (text: string) => void,
): Resolve {
  return (name, whole) => {
    const text = lookUp(name, sources);
    if (text === undefined) {
      // A dollar in a password is not a reference; names of variables are in capitals.
      if (/^\$[a-z_]/i.test(whole) && !/^\$[A-Z][A-Z0-9_]*$/.test(whole)) {
        return whole;
      }
      const message = `${whole} must have a value.`;
      throw new HostError("MISSING_VARIABLE", message, { server, phase: "config" });
    }
    onSecret(text);
    return text;
  };
}

/** Replaces directories, and leaves references to variables and inputs unchanged. */
export function placesOf({ places = {} }: VariableSources): Resolve {
  return (name, whole) => own(places, name) ?? whole;
}

function own<T>(values: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function lookUp(
  name: string,
  { env = {}, inputs = {}, places = {}, readFile }: VariableSources,
): string | undefined {
  if (name.startsWith("input:")) {
    return own(inputs, name.slice("input:".length));
  }
  if (name.startsWith("file:")) {
    return readFile?.(name.slice("file:".length)).trim();
  }
  if (name.startsWith("env:")) {
    return own(env, name.slice("env:".length));
  }
  const [, variable = name, fallback] = /^([^:]*):-([\s\S]*)$/.exec(name) ?? [];
  if (fallback !== undefined) {
    // As in a shell, an empty value counts as not set.
    return own(env, variable) || fallback;
  }
  return own(places, variable) ?? own(env, variable);
}
