import { hasToken, redactor } from "@tenon/testing/cassette";

import type { LogLine } from "../engine/log.ts";

/** The value of a line without secrets, or why it is withheld. */
export type Redacted = { readonly value: unknown } | { readonly withheld: string };

/** A function that removes the secrets of lines. */
export function lineRedactor(): (line: LogLine) => Redacted {
  const redact = redactor();
  return ({ summary, text }) => {
    if (summary.cut === true) {
      return { withheld: "Withheld: the message is too long." };
    }
    const value = redact(JSON.parse(text));
    return hasToken(JSON.stringify(value))
      ? { withheld: "Withheld: the message contains something like a token." }
      : { value };
  };
}
