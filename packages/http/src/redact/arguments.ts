import { isRandom, isSecretHeader, isSecretOption } from "./names.ts";
import { hidden, redactTokens } from "./tokens.ts";
import { redactUrl } from "./url.ts";

/** Flags whose value is a header. */
const headerFlag = /^(?:-H|--headers?)$/;
/** Flags whose value is a user with a password. */
const userFlag = /^(?:-u|--user|--proxy-user)$/;
/** Flags of one letter that often have a token. */
const tokenFlag = /^-[aks-u]$/i;
/**
 * Options that are followed by code: `sh -c`, `node -e`, `deno eval`, `cmd /c`. Only tokens in the
 * code are redacted, because users must see what they approve.
 */
const codeFlag = /^(?:-[a-z]*[ce]|-p|--eval|--print|--command|--exec|-command|eval|exec|\/[ck])$/i;
/**
 * Characters that occur only in code, to detect a command that is hidden behind the name of a
 * secret.
 */
const codeSign = /[\s;|&`<>(){}]/;

/**
 * The arguments of a command without secrets: values of options, variables and headers that are
 * named like secrets, secrets of URLs and JSON, and tokens in the form of well-known services.
 * Code, such as the argument of `-c`, stays readable.
 *
 * @param redactJson - Redacts a value in an argument of JSON.
 */
export function redactArguments(args: readonly string[], redactJson: (value: unknown) => unknown): string[] {
  return args.map((argument, index) => one(argument, args[index - 1] ?? "", redactJson));
}

function one(argument: string, before: string, redactJson: (value: unknown) => unknown): string {
  if (headerFlag.test(before)) {
    return nameOnly(argument, ":") ?? hidden;
  }
  if (before === "--env") {
    return nameOnly(argument, "=") ?? argument;
  }
  if (userFlag.test(before) && argument.includes(":") && !codeSign.test(argument)) {
    return hidden;
  }
  if (codeFlag.test(before)) {
    const isVariable = /^[a-z_]\w*=/i.test(argument) && !codeSign.test(argument);
    return isVariable ? (nameOnly(argument, "=") ?? argument) : redactTokens(argument);
  }
  if (before.startsWith("-") && !before.includes("=") && isSecretOption(before)) {
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
    return word(argument, redactJson);
  }
  const value = argument.slice(equals + 1);
  if (name.startsWith("-")) {
    return `${name}=${isSecretOption(name) ? hidden : one(value, name, redactJson)}`;
  }
  return isSecretOption(name) && !codeSign.test(value)
    ? `${name}=${hidden}`
    : `${name}=${word(value, redactJson)}`;
}

/** A text with a name, of which only the name is left; `undefined` if it has none. */
function nameOnly(text: string, separator: ":" | "="): string | undefined {
  const end = text.indexOf(separator);
  return end <= 0 ? undefined : `${text.slice(0, end + 1)}${separator === ":" ? " " : ""}${hidden}`;
}

function word(text: string, redactJson: (value: unknown) => unknown): string {
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
  const isHeader = name !== undefined && (isSecretHeader(name) || isSecretOption(name));
  return isHeader && !/[;|&`(){}]/.test(text) ? (nameOnly(text, ":") ?? text) : redactTokens(text);
}
