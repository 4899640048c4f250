import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import type { StartedInspector } from "@tenon/inspector/node";
import { isRecord } from "@tenon/jsonrpc2/transport";
import { parseCassette, recordTransport } from "@tenon/testing/cassette";
import { StdioTransport } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { textOf, visibleLine } from "../output/escape.ts";
import { relay } from "../serve/relay.ts";
import { openPage, startPage } from "../session/inspector-page.ts";
import { redactionOf } from "../session/redaction.ts";
import { resolveTarget } from "../target/resolve.ts";
import { transportTo } from "../target/transport.ts";
import { sendSpans, tracesUrl } from "../trace/send-spans.ts";
import { spansOf } from "../trace/spans.ts";

/**
 * Connects a host to a server and records every message. Messages are passed on unchanged: the host
 * uses the standard input and output of this process.
 */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell, signal } = invocation;
  const collector = collectorOf(invocation);
  const target = await resolveTarget(invocation);
  const file = resolve(shell.cwd, flags.text("out") ?? "tenon-tap.jsonl");
  const stream = createWriteStream(file, { flags: "w", mode: 0o600 });
  await once(stream, "open");
  printer.note(`tap: ${target.label} is recorded to ${file}`);
  await using page = flags.has("open") ? await showPage(invocation, target.label) : undefined;
  const sink = {
    write(line: string): boolean {
      if (printer.isVerbose) {
        printer.note(lineOf(line));
      }
      page?.write(line);
      return stream.write(line);
    },
  };
  const startedAt = Date.now();
  const inner = await transportTo(invocation, target);
  const recorded = recordTransport(inner, sink, { target: target.label, redaction: redactionOf(flags) });
  const stdout = shell.stdout === process.stdout ? {} : { stdin: shell.stdin, stdout: shell.stdout as never };
  const front = new StdioTransport(stdout);
  try {
    await relay(await front.connect({ signal }), await recorded.connect({ signal }), signal);
  } finally {
    stream.end();
    await once(stream, "finish");
    if (collector !== undefined) {
      await report(invocation, collector, { file, target: target.label, startedAt });
    }
  }
}

function collectorOf({ flags }: Invocation): string | undefined {
  const given = flags.text("otlp");
  const url = given === undefined ? undefined : tracesUrl(given);
  if (given !== undefined && url === undefined) {
    throw usageError(
      `--otlp takes the address of a collector; got ${JSON.stringify(given)}.`,
      "--otlp http://127.0.0.1:4318",
    );
  }
  return url;
}

/** Shows the messages in the inspector page from now on. */
async function showPage(invocation: Invocation, label: string): Promise<StartedInspector> {
  const page = await startPage(invocation, { source: { kind: "tap", label } });
  // Standard output belongs to the host.
  invocation.printer.note(`tap: ${page.url.href} shows the messages. The link works once.`);
  await openPage(invocation, page);
  return page;
}

/** Sends the requests of the recording to a collector. */
async function report(
  { printer }: Invocation,
  collector: string,
  { file, target, startedAt }: { readonly file: string; readonly target: string; readonly startedAt: number },
): Promise<void> {
  const spans = spansOf(parseCassette(await readFile(file, "utf8")));
  const problem = await sendSpans(collector, spans, target, startedAt);
  if (problem === undefined) {
    printer.note(`tap: ${spans.length} requests were sent to ${collector}`);
  } else {
    printer.warn(
      `The requests were not sent to ${collector}: ${problem}. Send the file later: tenon trace export ${file} --format otlp`,
    );
  }
}

/** A recorded line for people. */
function lineOf(line: string): string {
  const entry: unknown = JSON.parse(line);
  if (!isRecord(entry) || !isRecord(entry["message"])) {
    return visibleLine(line);
  }
  const { message, dir, at } = entry as {
    readonly message: Record<string, unknown>;
    readonly dir: string;
    readonly at: number;
  };
  const what = message["method"] ?? ("error" in message ? "error" : "result");
  return visibleLine(
    `${Math.round(at)} ms ${dir === "write" ? "→" : "←"} ${textOf(what)} ${JSON.stringify(message["id"] ?? "")}`,
  );
}
