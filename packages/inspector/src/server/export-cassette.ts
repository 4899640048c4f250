import type { CassetteHeader } from "@tenon/testing/cassette";

import type { LogLine } from "../engine/log.ts";
import { lineRedactor } from "./redacted.ts";

/** The messages as a cassette of `@tenon/testing/cassette`, seen from the client. */
export function cassetteText(lines: readonly LogLine[], target: string): string {
  const redact = lineRedactor();
  const header: CassetteHeader = { tenon: 1, side: "client", target, redacted: true };
  const entries = lines.flatMap((line) => {
    const { at, connection, to, kind, era, subject } = line.summary;
    const base = { at, connection, ...(era === undefined ? {} : { era }) };
    if (kind === "end") {
      return [{ ...base, dir: "end" }];
    }
    if (to === undefined) {
      return [];
    }
    const dir = to === "server" ? "write" : "read";
    if (kind === "problem") {
      return [{ ...base, dir, error: subject }];
    }
    const redacted = redact(line);
    return "withheld" in redacted
      ? [{ ...base, dir, error: redacted.withheld }]
      : [{ ...base, dir, message: redacted.value }];
  });
  return [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
