import { redactTarget, redactText } from "@tenon/http/redact";

import type { Engine } from "../engine/engine.ts";
import { cassetteText } from "./export-cassette.ts";
import { harText } from "./export-har.ts";
import { htmlText } from "./export-html.ts";
import { testText } from "./export-test.ts";
import { redactedAddress, redactedSummaries } from "./redacted.ts";

/** A file that the person saves. */
export interface Exported {
  readonly name: string;
  readonly type: string;
  readonly body: string;
}

/** The lines of an export. */
export interface ExportChoice {
  /** The line of the call that becomes a test. By default all calls do. */
  readonly seq?: number | undefined;
  /** The server whose lines are exported. Default: the first. */
  readonly server?: string | undefined;
}

/**
 * The lines of a server in a format, without their secrets. `undefined` for an unknown format, for
 * an unknown server, and for tests of a session without calls.
 */
export function exportOf(
  engine: Engine,
  format: string,
  { seq, server }: ExportChoice,
): Exported | undefined {
  const exported = engine.exported(server);
  if (exported === undefined) {
    return undefined;
  }
  const lines = redactedSummaries(exported.lines);
  const label = redactTarget(exported.label);
  switch (format) {
    case "jsonl":
      return { name: "session.jsonl", type: "application/x-ndjson", body: cassetteText(lines, label) };
    case "har":
      return { name: "session.har", type: "application/json", body: harText(lines, label) };
    case "html":
      return { name: "session.html", type: "text/html; charset=utf-8", body: htmlText(lines, label) };
    case "test": {
      const address = exported.address === undefined ? undefined : redactedAddress(exported.address);
      const body = testText({ lines, label, address }, seq);
      const subject =
        seq === undefined ? undefined : redactText(engine.log.line(seq)?.summary.subject ?? "session");
      const name = subject?.replaceAll(/[^\w-]+/g, "-").slice(0, 60) ?? "session";
      return body === undefined
        ? undefined
        : { name: `${name}.test.ts`, type: "text/plain; charset=utf-8", body };
    }
    default:
      return undefined;
  }
}
