/** A number of a suite: which candidate did which work. */
type Cell = readonly [candidate: string, work: string];

/** A row of the table "Speed" in README. */
export interface Row {
  /** What is measured. */
  readonly what: string;
  readonly suite: string;
  readonly metric: string;
  /** How the numbers are written. */
  readonly unit: "time" | "perSecond" | "bytes";
  readonly tenon: Cell;
  /** The official SDK as it does best at the same work. */
  readonly official?: Cell;
  readonly raw?: Cell;
  /** The metric of what is loaded when used, shown in brackets. */
  readonly later?: string;
}

const calls = "64 concurrent";
const modern = "2026-07-28, 1 tool";
const many = "2026-07-28, 100 tools";
const sessions = "2025-11-25 in sessions";
const stateless = "2025-11-25 without sessions";
const progress = "100000 progress notifications";
const start = "start to first result";

/** All rows, from top to bottom. */
export const rows: readonly Row[] = [
  {
    what: "`tools/call` in one process, objects passed on, time",
    suite: "mcp-memory",
    metric: "ns",
    unit: "time",
    tenon: ["tenon, objects passed", "sequential"],
    official: ["official v2", "sequential"],
  },
  {
    what: "`tools/call` in one process, every message copied (raw: as JSON), time",
    suite: "mcp-memory",
    metric: "ns",
    unit: "time",
    tenon: ["tenon", "sequential"],
    raw: ["raw", "sequential"],
  },
  {
    what: "`tools/call` over stdio, 64 at a time, calls/s",
    suite: "mcp-stdio",
    metric: "callsPerSecond",
    unit: "perSecond",
    tenon: ["tenon", calls],
    official: ["official v2", calls],
    raw: ["raw", calls],
  },
  {
    what: "the same, 2026-07-28 (v2: 2025-11-25)",
    suite: "mcp-stdio",
    metric: "callsPerSecond",
    unit: "perSecond",
    tenon: ["tenon 2026", calls],
    official: ["official v2", calls],
    raw: ["raw 2026", calls],
  },
  {
    what: "`tools/call` over HTTP, 2026-07-28, 64 connections, calls/s",
    suite: "http-server",
    metric: "callsPerSecond",
    unit: "perSecond",
    tenon: ["tenon", modern],
    official: ["official v2", modern],
    raw: ["raw", modern],
  },
  {
    what: "the same, with 100 tools (v2: with schemas made once)",
    suite: "http-server",
    metric: "callsPerSecond",
    unit: "perSecond",
    tenon: ["tenon", many],
    official: ["official v2, schemas hoisted", many],
    raw: ["raw", many],
  },
  {
    what: "the same, 2025-11-25 in sessions (v2: with JSON responses)",
    suite: "http-server",
    metric: "callsPerSecond",
    unit: "perSecond",
    tenon: ["tenon", sessions],
    official: ["official v2, JSON", sessions],
    raw: ["raw", sessions],
  },
  {
    what: "the same, 2025-11-25 without sessions",
    suite: "http-server",
    metric: "callsPerSecond",
    unit: "perSecond",
    tenon: ["tenon", stateless],
    official: ["official v2", stateless],
    raw: ["raw", stateless],
  },
  {
    what: "progress notifications a second",
    suite: "mcp-progress",
    metric: "perSecond",
    unit: "perSecond",
    tenon: ["tenon", progress],
    official: ["official v2", progress],
  },
  {
    what: "from starting a one-tool server to its first result (raw: Node alone)",
    suite: "mcp-startup",
    metric: "ns",
    unit: "time",
    tenon: ["tenon", start],
    official: ["official v2", start],
    raw: ["bare Node", start],
  },
  {
    what: "a one-tool stdio server, bundled and gzipped (with what is loaded when used)",
    suite: "size",
    metric: "gzipped",
    later: "totalGzipped",
    unit: "bytes",
    tenon: ["stdio server with one tool", "bundle by esbuild"],
    official: ["peer: official v2, server with one tool", "bundle by esbuild"],
  },
];
