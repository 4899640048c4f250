import { ndjsonConnection } from "@tenon/jsonrpc2/stream";

import { formatBytes, formatRatio, formatTime } from "../../format.ts";
import { eachCall } from "../../loops/each.ts";
import { find, interleave, ratio, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";

const megabytes = 8;
const chunkBytes = 65_536;

/** Results of about 8 MB, of kinds that parsers find easy and hard. */
const results: Readonly<Record<string, () => unknown>> = {
  "one string": () => "x".repeat(megabytes << 20),
  "many small objects": () =>
    Array.from({ length: 90_000 }, (_, n) => ({
      id: n,
      name: `item ${n}`,
      title: "a title of some words",
      ok: true,
      tags: [1, 2],
    })),
  "text with escapes": () => 'line\n\t"quoted" '.repeat(megabytes * 55_000),
  "text outside of ASCII": () => "é漢字x".repeat(megabytes << 17),
};

function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    chunks.push(bytes.subarray(at, at + chunkBytes));
  }
  return chunks;
}

function subjectsOf(work: string, result: unknown): { subjects: Subject[]; bytes: number } {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
  const chunks = chunksOf(Buffer.from(`${text}\n`));
  const read = async (): Promise<void> => {
    let next = 0;
    const connection = ndjsonConnection(
      {
        read: () => Promise.resolve(chunks[next++]),
        write: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
      { maxMessageBytes: 64 << 20 },
    );
    const message = await connection.read();
    if (message === undefined || !("result" in message)) {
      throw new Error("The line was not read.");
    }
  };
  const subject = (candidate: string, run: () => unknown): Subject => ({
    candidate,
    work,
    sample: eachCall(() => undefined, run),
  });
  return {
    bytes: text.length,
    subjects: [
      subject("parse", () => JSON.parse(text) as unknown),
      subject("join, decode, parse", () => JSON.parse(Buffer.concat(chunks).toString()) as unknown),
      subject("tenon", read),
    ],
  };
}

/** One long line, in the chunks in which a pipe delivers it. */
export const lines: Suite = {
  name: "jsonrpc2-lines",
  description: "one line of 8 MB: the line reader against JSON.parse of the same",
  async run({ rounds, wants, log }) {
    const works = Object.entries(results)
      .filter(([work]) => wants(work))
      .map(([work, result]) => ({ work, ...subjectsOf(work, result()) }));
    const measurements = await interleave(
      works.flatMap(({ subjects }) => subjects),
      { rounds, onRound: (round, of) => log(`round ${round} of ${of}`) },
    );
    const relative = (work: string, to: string): number => {
      const own = find(measurements, { candidate: "tenon", work, metric: "ns" });
      const other = find(measurements, { candidate: to, work, metric: "ns" });
      return own === undefined || other === undefined ? Number.NaN : ratio(own, other);
    };
    const time = (work: string, candidate: string): string =>
      formatTime(find(measurements, { candidate, work, metric: "ns" })?.median ?? Number.NaN);
    return {
      tables: [
        {
          title: "one line of 8 MB",
          columns: [
            "",
            "size",
            "JSON.parse of the text",
            "join + decode + parse of the bytes",
            "tenon",
            "× text",
            "× bytes",
          ],
          rows: works.map(({ work, bytes }) => [
            work,
            formatBytes(bytes),
            time(work, "parse"),
            time(work, "join, decode, parse"),
            time(work, "tenon"),
            formatRatio(relative(work, "parse")),
            formatRatio(relative(work, "join, decode, parse")),
          ]),
        },
      ],
      measurements,
      budgets: works.map(({ work }) => ({
        name: `${work}, relative to JSON.parse of the same bytes`,
        actual: relative(work, "join, decode, parse"),
        limit: 1.3,
      })),
      notes: [],
    };
  },
};
