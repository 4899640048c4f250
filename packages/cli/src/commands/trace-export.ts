import { statSync } from "node:fs";
import { resolve } from "node:path";

import { redactor, redactTarget } from "@tenon/http/redact";

import type { Invocation } from "../command/invocation.ts";
import { counted } from "../output/counted.ts";
import { formatTrace, traceFormats } from "../trace/formats.ts";
import { readRecording } from "../trace/read.ts";
import { spansOf } from "../trace/spans.ts";
import { replaceFile } from "../write-file.ts";

/** Exports a recording as JSON, HAR, OTLP or a page. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell } = invocation;
  const cassette = await readRecording(invocation);
  const wanted = flags.text("format") ?? "json";
  const format = traceFormats.find((each) => each === wanted) ?? "json";
  // The recording may come from another program, or from before a rule.
  const spans = redactor()(spansOf(cassette)) as ReturnType<typeof spansOf>;
  // A recording has no dates: its connections are dated back from the last change of the file.
  const end = Math.max(0, ...spans.map(({ startMs, durationMs = 0 }) => startMs + durationMs));
  const { mtimeMs } = statSync(resolve(shell.cwd, invocation.required("recording")));
  const text = formatTrace(format, spans, redactTarget(cassette.header.target ?? "server"), mtimeMs - end);
  const out = flags.text("out");
  if (out === undefined) {
    printer.result(format === "html" ? { html: text } : (JSON.parse(text) as unknown), () => text);
    return;
  }
  const file = resolve(shell.cwd, out);
  await replaceFile(file, text);
  printer.result({ file, format, spans: spans.length }, () => `${file}: ${counted(spans.length, "request")}`);
}
