import { HostError } from "../error.ts";
import { isRecord } from "../record.ts";

/** Where the values of variables come from. */
export interface VariableSources {
  /** For `${NAME}`, `${env:NAME}` and `${NAME:-default}`. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For `${input:id}`: what the user has given, by id. */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
  /** For `${workspaceFolder}`, `${userHome}` and the like, by name. */
  readonly places?: Readonly<Record<string, string>> | undefined;
}

const reference = /\$\{([^${}]*)\}/g;

/**
 * Puts values in the place of `${…}` in every text of a value, once: what a variable holds is not looked at again. Nothing else is special, and no shell is
 * involved: `$NAME`, backticks and `$(…)` stay as they are.
 *
 * @param onSecret - Told of every value that came from a variable, an input or the environment.
 * @throws `HostError` `MISSING_VARIABLE` that names what has no value, and where.
 */
export function substitute(
  value: unknown,
  sources: VariableSources,
  server: string,
  onSecret: (text: string) => void,
): unknown {
  if (typeof value === "string") {
    return value.replaceAll(reference, (whole, name: string) => {
      const text = lookUp(name, sources);
      if (text === undefined) {
        const message = `The server ${server} needs ${whole}, which has no value.`;
        throw new HostError("MISSING_VARIABLE", message, { server, phase: "config" });
      }
      onSecret(text);
      return text;
    });
  }
  if (Array.isArray(value)) {
    return value.map((item) => substitute(item, sources, server, onSecret));
  }
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, substitute(member, sources, server, onSecret)]),
    );
  }
  return value;
}

function lookUp(name: string, { env = {}, inputs = {}, places = {} }: VariableSources): string | undefined {
  const own = <T>(values: Readonly<Record<string, T>>, key: string): T | undefined =>
    Object.hasOwn(values, key) ? values[key] : undefined;
  if (name.startsWith("input:")) {
    return own(inputs, name.slice("input:".length));
  }
  if (name.startsWith("env:")) {
    return own(env, name.slice("env:".length));
  }
  const [, variable = name, fallback] = /^([^:]*):-([\s\S]*)$/.exec(name) ?? [];
  if (fallback !== undefined) {
    // As in a shell: an empty value is no value.
    return own(env, variable) || fallback;
  }
  return own(places, variable) ?? own(env, variable);
}
