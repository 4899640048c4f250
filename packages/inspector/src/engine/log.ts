import type { Summary } from "../wire/summary.ts";
import { startOf } from "./brief.ts";
import type { Fact } from "./fact.ts";
import { createKeptLines } from "./kept-lines.ts";
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

/**
 * The lines that are kept, in order. When a limit is reached, the server with the most loses its
 * oldest.
 */
export interface Log {
  /** How many lines were dropped. */
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

/**
 * Creates an empty log.
 *
 * @param onAdd - Called after every line.
 */
export function createLog(limits: LogLimits, onAdd: () => void): Log {
  const kept = createKeptLines(limits);
  let next = 1;
  /** Servers have lanes of their own. */
  const summarizers = new Map<string, Summarizer>();
  const summarizerOf = (server = ""): Summarizer => {
    const found = summarizers.get(server) ?? createSummarizer();
    summarizers.set(server, found);
    return found;
  };

  return {
    get dropped() {
      return kept.dropped;
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
      kept.add(line);
      onAdd();
    },
    after(seq, most) {
      return kept.after(seq, most).map(({ summary }) => summary);
    },
    line: (seq) => kept.line(seq),
    lines: () => kept.after(0, Infinity),
    clear: () => kept.clear(),
    forget: (server) => void summarizers.delete(server),
    requestsOf: (server) => ({
      requestOf: (connection, id) => summarizerOf(server).requestOf(connection, id),
      connectionsOf: (id) => summarizerOf(server).connectionsOf(id),
      isWaiting: (connection) => summarizerOf(server).isWaiting(connection),
      queue: (connection, id, at) => summarizerOf(server).queue(connection, id, at),
    }),
  };
}
