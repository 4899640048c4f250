import { isRecord } from "@tenon/jsonrpc2/transport";

import type { CustomSpec, ServerSpec } from "../spec.ts";

/** Replaces a secret. */
const hidden = "[redacted]";
const secretName =
  /token|secret|pass(?:word|wd|phrase|code)|\b(?:pass|pwd|pat|key|dsn)\b|[-_]key\b|api[-_]?key|auth|bearer|credential|cookie|session|signature|private|connection[-_]?string/i;
/** Flags whose value is a header. */
const headerFlag = /^(?:-H|--headers?)$/;
/** Flags of one letter that often have a token. */
const tokenFlag = /^-[aks-u]$/i;
/**
 * Options that are followed by code: `sh -c`, `node -e`, `deno eval`, `cmd /c`. Only tokens in
 * the code are redacted, because users must see what they approve.
 */
const codeFlag = /^(?:-[a-z]*[ce]|-p|--eval|--print|--command|--exec|-command|eval|exec|\/[ck])$/i;
/**
 * Characters that occur only in code, to detect a command that is hidden behind the name of a
 * secret.
 */
const codeSign = /[\s;|&`<>(){}]/;

/**
 * A copy of a spec that may be shown and logged. It replaces the values of all variables and
 * headers, including values in arguments (`--header`, `--env`); the user part and the query of a
 * URL, and random words of its path; arguments and JSON properties that follow, or contain, a
 * name like that of a secret; tokens in the form of well-known services; and everything in
 * `secrets`. Code, such as the argument of `-c`, stays readable.
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
      ...(spec.args === undefined ? {} : { args: spec.args.map(redactArgument).map(hide) }),
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

function redactArgument(argument: string, index: number, args: readonly string[]): string {
  const before = args[index - 1] ?? "";
  if (headerFlag.test(before)) {
    return nameOnly(argument, ":") ?? hidden;
  }
  if (before === "--env") {
    return nameOnly(argument, "=") ?? argument;
  }
  if (codeFlag.test(before)) {
    const isVariable = /^[a-z_]\w*=/i.test(argument) && !codeSign.test(argument);
    return isVariable ? (nameOnly(argument, "=") ?? argument) : redactTokens(argument);
  }
  if (before.startsWith("-") && !before.includes("=") && secretName.test(before)) {
    return hidden;
  }
  if (tokenFlag.test(before) && /^[\w+-]{20,}$/.test(argument) && isRandom(argument)) {
    return hidden;
  }
  const [, glued] = /^-H(.+)$/s.exec(argument) ?? [];
  if (glued !== undefined) {
    return `-H${nameOnly(glued, ":") ?? hidden}`;
  }
  const equals = argument.indexOf("=");
  const name = argument.slice(0, equals);
  if (equals <= 0 || !/^[-\w.]+$/.test(name)) {
    return redactText(argument);
  }
  const value = argument.slice(equals + 1);
  if (name.startsWith("-")) {
    return `${name}=${secretName.test(name) ? hidden : redactArgument(value, 1, [name, value])}`;
  }
  return secretName.test(name) && !codeSign.test(value)
    ? `${name}=${hidden}`
    : `${name}=${redactText(value)}`;
}

/** A text with a name, of which only the name is left; `undefined` if it has none. */
function nameOnly(text: string, separator: ":" | "="): string | undefined {
  const end = text.indexOf(separator);
  return end <= 0 ? undefined : `${text.slice(0, end + 1)}${separator === ":" ? " " : ""}${hidden}`;
}

function redactText(text: string): string {
  if (text.includes("://") && URL.canParse(text)) {
    return redactUrl(text);
  }
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(redactJson(JSON.parse(text)));
    } catch {
      // It only looks like JSON.
    }
  }
  const [, name] = /^\s*([\w-]+)\s*:\s*\S/.exec(text) ?? [];
  if (name !== undefined && secretName.test(name) && !/[;|&`(){}]/.test(text)) {
    return nameOnly(text, ":") ?? text;
  }
  return redactTokens(text);
}

/** Properties that are named like secrets, and all variables and headers. */
function redactJson(value: unknown): unknown {
  if (typeof value === "string") {
    return redactText(value);
  }
  if (Array.isArray(value)) {
    return value.map(redactJson);
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (/^(?:env|headers)$/i.test(name) && isRecord(member)) {
        return [name, Object.fromEntries(Object.keys(member).map((key) => [key, hidden]))];
      }
      return [name, secretName.test(name) ? hidden : redactJson(member)];
    }),
  );
}

/** Forms that well-known services give their tokens. */
const knownToken =
  /\b(?:[sprt]k[-_][\w-]{6,}|gh[opusr]_\w{6,}|github_pat_\w{6,}|glpat-[\w-]{6,}|xox[a-z]-[\w-]{6,}|A[KS]IA[A-Z0-9]{12,}|AIza[\w-]{20,}|hf_\w{6,}|npm_\w{20,}|eyJ[\w-]{8,}\.[\w.-]+)/g;

function redactTokens(text: string): string {
  return text.replaceAll(/\b(Bearer|Basic)\s+[\w+/=.~-]+/gi, `$1 ${hidden}`).replaceAll(knownToken, hidden);
}

/**
 * True for a word that only a machine would write: with letters of both cases and digits, or long
 * in hexadecimal.
 */
function isRandom(word: string): boolean {
  const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
  return isMixed || /^(?:[\da-f]{32,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.test(word);
}

function redactUrl(url: string): string {
  if (!URL.canParse(url)) {
    return redactTokens(url);
  }
  const parsed = new URL(url);
  const path = redactTokens(parsed.pathname).replaceAll(/[\w+-]{20,}/g, (word) =>
    isRandom(word) ? hidden : word,
  );
  if (parsed.username === "" && parsed.password === "" && parsed.search === "" && path === parsed.pathname) {
    return url;
  }
  parsed.username = "";
  parsed.password = "";
  parsed.pathname = path;
  for (const name of [...parsed.searchParams.keys()]) {
    parsed.searchParams.set(name, hidden);
  }
  return parsed.href;
}
