import { isRecord } from "@tenon/base";

const mark = "[redacted]";

/**
 * Removes secrets from a string, in plain form and escaped as in JSON.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const clean = secrets.reduce((current, secret) => current.replaceAll(secret, mark), text);
  return clean.includes("\\")
    ? secrets.reduce((current, secret) => current.replace(escaped(secret), mark), clean)
    : clean;
}

/** Matches a secret of which characters are escaped as in a string of JSON. */
function escaped(secret: string): RegExp {
  const units = Array.from({ length: secret.length }, (_, index) => {
    const code = secret.charCodeAt(index).toString(16).padStart(4, "0");
    const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    return `(?:\\\\?\\u${code}|\\\\u${hex})`;
  });
  return new RegExp(units.join(""), "g");
}

/**
 * Removes secrets from the strings, the names and the numbers of a JSON value, whose depth is
 * limited.
 */
export function withoutSecretsIn(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) {
    return value;
  }
  if (typeof value === "string") {
    return withoutSecrets(value, secrets);
  }
  if (typeof value === "number") {
    return secrets.some((secret) => isNumberOf(secret, value)) ? mark : value;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown) => withoutSecretsIn(item, secrets));
  }
  return isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          withoutSecrets(name, secrets),
          withoutSecretsIn(member, secrets),
        ]),
      )
    : value;
}

/** Whether a number is a secret. Of long numbers, JavaScript drops the last digits. */
function isNumberOf(secret: string, value: number): boolean {
  return String(value) === secret || (!Number.isSafeInteger(value) && Number(secret) === value);
}
