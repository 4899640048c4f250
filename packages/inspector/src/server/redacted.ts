import { hasToken, redactArguments, redactor, redactUrl } from "@tenon/http/redact";

import type { LogLine } from "../engine/log.ts";
import type { ServerAddress } from "../engine/source.ts";

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

/** The lines with what their summaries quote of the messages, without secrets. */
export function redactedSummaries(lines: readonly LogLine[]): readonly LogLine[] {
  const redact = redactor();
  return lines.map((line) => ({ ...line, summary: redact(line.summary) as LogLine["summary"] }));
}

/** The address of a server without the secrets of its URL or its arguments. */
export function redactedAddress(address: ServerAddress): ServerAddress {
  return "url" in address
    ? { url: redactUrl(address.url) }
    : {
        ...address,
        ...(address.args === undefined ? {} : { args: redactArguments(address.args, redactor()) }),
      };
}
