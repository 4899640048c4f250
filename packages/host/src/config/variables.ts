import { isRecord } from "@tenon/jsonrpc2/transport";

import { HostError } from "../error.ts";

/** The sources of variables. */
export interface VariableSources {
  /** Values for `${NAME}`, `${env:NAME}` and `${NAME:-default}`. By default no variable is set. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For `${input:id}`: the user's inputs by ID. */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
  /** For `${workspaceFolder}`, `${userHome}` and the like, by name. */
  readonly places?: Readonly<Record<string, string>> | undefined;
}

const reference = /\$\{([^${}]*)\}/g;

/** Returns the value of a reference. @param whole - The complete reference, including `${…}`. */
export type Resolve = (name: string, whole: string) => string;

/**
 * Replaces `${…}` in every string of a value, once: references in the value of a variable are not
 * replaced. There is no other syntax and no shell: `$NAME`, backticks and `$(…)` stay unchanged.
 */
export function substitute(value: unknown, resolve: Resolve): unknown {
  if (typeof value === "string") {
    return value.replaceAll(reference, (whole, name: string) => resolve(name, whole));
  }
  if (Array.isArray(value)) {
    return value.map((item) => substitute(item, resolve));
  }
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, substitute(member, resolve)]),
    );
  }
  return value;
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

function lookUp(name: string, { env = {}, inputs = {}, places = {} }: VariableSources): string | undefined {
  if (name.startsWith("input:")) {
    return own(inputs, name.slice("input:".length));
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
