import type { Summary } from "../wire/summary.ts";
import { startOf } from "./brief.ts";
import type { Fact } from "./fact.ts";
import { createSummarizer, type OpenRequests, type Summarizer } from "./summarize.ts";

/** The limits of a {@link Log}. */
export interface LogLimits {
  readonly maxLines: number;
  readonly maxLogBytes: number;
  readonly maxLineBytes: number;
}

/** A line with its text. */
export interface LogLine {
  readonly summary: Summary;
  /** The message or the detail as JSON. Shortened if `summary.cut`. */
  readonly text: string;
}

/** The lines that are kept, in order. When a limit is reached, the oldest are dropped. */
export interface Log {
  /** How many of the oldest lines were dropped. */
  readonly dropped: number;
  /** Adds a line, of a server if the fact is about one. */
  add(fact: Fact, server?: string): void;
  /** Up to `most` lines after a line. */
  after(seq: number, most: number): readonly Summary[];
  /** A line, if it is still kept. */
  line(seq: number): LogLine | undefined;
  lines(): readonly LogLine[];
  clear(): void;
  /** Forgets the open requests of a server. Its lines are kept. */
  forget(server: string): void;
  /** The requests of a server, or of the lines without a server. */
  requestsOf(server?: string): OpenRequests;
}

const encoder = new TextEncoder();

/** Replaces each dropped line, so that the message of the line is released. */
const released: LogLine = {
  summary: { seq: 0, at: 0, connection: 0, kind: "end", preview: "", bytes: 0, lanes: 0 },
  text: "",
};

/**
 * Creates an empty log.
 *
 * @param onAdd - Called after every line.
 */
export function createLog(limits: LogLimits, onAdd: () => void): Log {
  let lines: LogLine[] = [];
  /** The lines before this index are dropped; they are removed in bulk. */
  let start = 0;
  let next = 1;
  let bytes = 0;
  let dropped = 0;
  /** Servers have lanes of their own. */
  const summarizers = new Map<string, Summarizer>();
  const summarizerOf = (server = ""): Summarizer => {
    const found = summarizers.get(server) ?? createSummarizer();
    summarizers.set(server, found);
    return found;
  };

  function dropOldest(): void {
    while (start < lines.length && (lines.length - start > limits.maxLines || bytes > limits.maxLogBytes)) {
      bytes -= keptBytes(lines[start]);
      lines[start] = released;
      start++;
      dropped++;
    }
    if (start > 1000 && start > lines.length / 2) {
      lines = lines.slice(start);
      start = 0;
    }
  }

  return {
    get dropped() {
      return dropped;
    },
    add(fact, server) {
      const text = JSON.stringify("message" in fact ? fact.message : (fact.detail ?? null));
      const size = encoder.encode(text).byteLength;
      const placed = summarizerOf(server).summarize(fact, next, size);
      const summary = server === undefined ? placed : { ...placed, server };
      next++;
      const line: LogLine =
        size > limits.maxLineBytes
          ? { summary: { ...summary, cut: true }, text: startOf(text, limits.maxLineBytes) }
          : { summary, text };
      lines.push(line);
      bytes += keptBytes(line);
      dropOldest();
      onAdd();
    },
    after(seq, most) {
      const first = lines[start]?.summary.seq ?? next;
      const from = start + Math.max(0, seq + 1 - first);
      return lines.slice(from, from + most).map(({ summary }) => summary);
    },
    line(seq) {
      const first = lines[start]?.summary.seq ?? next;
      return seq < first ? undefined : lines[start + seq - first];
    },
    lines: () => lines.slice(start),
    clear() {
      lines = [];
      start = 0;
      bytes = 0;
    },
    forget: (server) => void summarizers.delete(server),
    requestsOf: (server) => ({
      requestOf: (connection, id) => summarizerOf(server).requestOf(connection, id),
      connectionsOf: (id) => summarizerOf(server).connectionsOf(id),
      isWaiting: (connection) => summarizerOf(server).isWaiting(connection),
      queue: (connection, id, at) => summarizerOf(server).queue(connection, id, at),
    }),
  };
}

function keptBytes(line: LogLine | undefined): number {
  return line === undefined ? 0 : Math.min(line.summary.bytes, line.text.length * 4);
}
