import { redactor } from "@tenon/testing/cassette";

import type { Engine } from "../engine/engine.ts";
import { cassetteText } from "./export-cassette.ts";
import { harText } from "./export-har.ts";
import { htmlText } from "./export-html.ts";

/** A file that the person saves. */
export interface Exported {
  readonly name: string;
  readonly type: string;
  readonly body: string;
}

/** The lines in a format, without their secrets. `undefined` for an unknown format. */
export function exportOf(engine: Engine, format: string): Exported | undefined {
  const lines = engine.log.lines();
  const label = String(redactor()(engine.state.source.label));
  switch (format) {
    case "jsonl":
      return { name: "session.jsonl", type: "application/x-ndjson", body: cassetteText(lines, label) };
    case "har":
      return { name: "session.har", type: "application/json", body: harText(lines, label) };
    case "html":
      return { name: "session.html", type: "text/html; charset=utf-8", body: htmlText(lines, label) };
    default:
      return undefined;
  }
}
