import { once } from "node:events";
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { resolve } from "node:path";

import type { LineSink } from "@tenon/jsonrpc2/core";
import { parseCassette, type RecordOptions } from "@tenon/testing/cassette";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { counted } from "../output/counted.ts";
import { messageOf } from "../output/escape.ts";
import { showTapPage } from "../session/inspector-page.ts";
import { redactionOf } from "../session/redaction.ts";
import { sendSpans, tracesUrl } from "../trace/send-spans.ts";
import { spansOf } from "../trace/spans.ts";
import { replaceFile } from "../write-file.ts";
import { summaryOf } from "./summary.ts";

/** Lines that the disk has not taken yet are kept up to this size, in bytes. */
const maxUnwrittenBytes = 8 * 1024 * 1024;
/** How long lines are collected for one write to the disk, in milliseconds. */
const collectMs = 20;

/** The recording of a tap. Its end writes the rest, and sends the requests to the collector. */
export interface Recording extends AsyncDisposable {
  /** Writes the lines of the recording. */
  readonly sink: LineSink;
  /** Options for what writes the lines. */
  readonly options: RecordOptions;
  /** `undefined` while the disk is fast enough; otherwise settles when it has caught up. */
  readonly busy: Promise<unknown> | undefined;
}

/**
 * Starts the recording that the options of `tenon tap` describe: the file, the inspector page, and
 * at the end the collector.
 *
 * @throws `CliError` for an invalid `--otlp`. The error of the file if it cannot be written.
 */
export async function startRecording(invocation: Invocation, label: string): Promise<Recording> {
  const { flags, printer, shell } = invocation;
  const collector = collectorOf(invocation);
  const file = resolve(shell.cwd, flags.text("out") ?? "tenon-tap.jsonl");
  await replaceFile(file, "", { isNamed: flags.has("out") });
  const opened = await open(file, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  const stream = opened.createWriteStream({ highWaterMark: maxUnwrittenBytes });
  let failed = false;
  stream.on("error", (error) => {
    // The conversation must continue without its recording.
    failed = true;
    printer.warn(`${file} is incomplete: ${messageOf(error)}`);
  });
  printer.note(`tap: ${label} is recorded to ${file}`);
  const page = flags.has("open") ? await showTapPage(invocation, label) : undefined;
  const startedAt = Date.now();
  return {
    options: { target: label, redaction: redactionOf(flags) },
    sink: {
      write(line) {
        if (printer.isVerbose) {
          printer.note(summaryOf(line));
        }
        page?.write(line);
        if (stream.writableCorked === 0) {
          stream.cork();
          setTimeout(() => stream.uncork(), collectMs);
        }
        return failed || stream.write(line);
      },
    },
    get busy() {
      return stream.writableNeedDrain && !failed
        ? Promise.race([once(stream, "drain"), once(stream, "close")]).catch(() => {})
        : undefined;
    },
    async [Symbol.asyncDispose]() {
      stream.end();
      await (stream.closed ? undefined : once(stream, "close").catch(() => {}));
      await page?.close();
      if (collector !== undefined && !failed) {
        await report(invocation, collector, { file, target: label, startedAt });
      }
    },
  };
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

/** Sends the requests of the recording to a collector. */
async function report(
  { printer }: Invocation,
  collector: string,
  { file, target, startedAt }: { readonly file: string; readonly target: string; readonly startedAt: number },
): Promise<void> {
  const spans = spansOf(parseCassette(await readFile(file, "utf8")));
  const problem = await sendSpans(collector, spans, target, startedAt);
  if (problem === undefined) {
    printer.note(`tap: sent ${counted(spans.length, "request")} to ${collector}`);
  } else {
    printer.warn(
      `The requests were not sent to ${collector}: ${problem}. Send the file later: tenon trace export ${file} --format otlp`,
    );
  }
}
