import type { CustomSpec, ServerSpec } from "../spec.ts";

/** What stands in the place of a secret. */
const hidden = "[redacted]";
const secretName = /token|secret|password|passwd|api[-_]?key|auth|credential|cookie|session|private/i;

/**
 * A copy of a spec that may be shown and logged: the values of all variables and headers, the user part and the query of a URL, arguments that follow or contain
 * something that is named like a secret, and everything in `secrets` are replaced.
 *
 * @param secrets - Texts to hide wherever they appear, such as the values of variables. Those shorter than 4 characters are left.
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
      ...(spec.args === undefined ? {} : { args: redactArguments(spec.args).map(hide) }),
      ...(spec.env === undefined ? {} : { env: hideAll(spec.env) }),
    };
  }
  return {
    ...spec,
    url: hide(redactUrl(spec.url)),
    ...(spec.headers === undefined ? {} : { headers: hideAll(spec.headers) }),
  };
}

function hideAll(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, hidden]));
}

function redactArguments(args: readonly string[]): string[] {
  return args.map((argument, index) => {
    const [flag = "", ...value] = argument.split("=");
    if (value.length > 0 && secretName.test(flag)) {
      return `${flag}=${hidden}`;
    }
    const before = args[index - 1] ?? "";
    if (before.startsWith("-") && !before.includes("=") && secretName.test(before)) {
      return hidden;
    }
    return URL.canParse(argument) && argument.includes("://") ? redactUrl(argument) : argument;
  });
}

function redactUrl(url: string): string {
  if (!URL.canParse(url)) {
    return url;
  }
  const parsed = new URL(url);
  if (parsed.username === "" && parsed.password === "" && parsed.search === "") {
    return url;
  }
  parsed.username = "";
  parsed.password = "";
  for (const name of [...parsed.searchParams.keys()]) {
    parsed.searchParams.set(name, hidden);
  }
  return parsed.href;
}
