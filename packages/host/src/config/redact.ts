import { isRecord } from "@tenon/base";
import { hidden, isSecretOption, redactArguments, redactor, redactUrl } from "@tenon/http/redact";

import type { CustomSpec, ServerSpec } from "../spec.ts";

const redact = /* @__PURE__ */ redactor();

/**
 * A copy of a spec that may be shown and logged. It replaces:
 * - the values of all variables and headers, including values in arguments (`--header`, `--env`);
 * - the user part and the query of a URL, and random words of its path;
 * - arguments and JSON properties that follow, or contain, a name that suggests a secret;
 * - tokens in the form of well-known services;
 * - everything in `secrets`.
 *
 * Code, such as the argument of `-c`, stays readable.
 *
 * @param secrets - Strings to redact everywhere, such as the values of variables. Strings of fewer
 *   than 4 characters are not redacted.
 */
export function redactSpec<S extends Exclude<ServerSpec, CustomSpec>>(
  spec: S,
  secrets: Iterable<string> = [],
): S {
  const texts = [...secrets].filter((text) => text.length >= 4).toSorted((a, b) => b.length - a.length);
  const hide = (text: string): string =>
    texts.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
  if (spec.type === "stdio") {
    return {
      ...spec,
      command: hide(spec.command),
      ...(spec.args === undefined ? {} : { args: redactArguments(spec.args, redactJson).map(hide) }),
      ...(spec.env === undefined ? {} : { env: hideAll(spec.env) }),
    };
  }
  return {
    ...spec,
    url: hide(redactUrl(spec.url)),
    ...(spec.headers === undefined ? {} : { headers: hideAll(spec.headers) }),
    ...(typeof spec.proxy === "string" ? { proxy: hide(redactUrl(spec.proxy)) } : {}),
  };
}

function hideAll(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, hidden]));
}

/** Properties that are named like secrets, and all variables and headers. */
function redactJson(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(redactJson);
  }
  if (!isRecord(value)) {
    return redact(value);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (/^(?:env|headers)$/i.test(name) && isRecord(member)) {
        return [name, Object.fromEntries(Object.keys(member).map((key) => [key, hidden]))];
      }
      return [name, isSecretOption(name) ? hidden : redactJson(member)];
    }),
  );
}
