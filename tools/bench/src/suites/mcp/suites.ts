import type { Suite } from "../../suite.ts";
import { comparison, type Limit } from "../jsonrpc2/compare.ts";
import { list } from "./list.ts";
import { memoryCallers } from "./memory.ts";
import { progress } from "./progress.ts";
import { startup } from "./startup.ts";
import { stdioCallers } from "./stdio.ts";

/** The official SDKs pass objects in memory; this is what we take when we do so too. */
const objectsPassed: readonly Limit[] = ["tenon, objects passed", "tenon 2026, objects passed"].flatMap(
  (of): readonly Limit[] => [
    { of, work: "sequential", metric: "ns", to: "official v2", atMost: 1 / 6 },
    { of, work: "sequential", metric: "ns", to: "official v1", atMost: 1 / 3 },
  ],
);

/** Both of our eras are held to the same limits, and each to the bare messages of its own. */
const bothEras = (limits: readonly Limit[], ownRaw = false): readonly Limit[] => [
  ...limits.map((limit) => ({ ...limit, of: "tenon" })),
  ...limits.map((limit) => ({
    ...limit,
    of: "tenon 2026",
    to: ownRaw && limit.to === "raw" ? "raw 2026" : limit.to,
  })),
];

/** Client and server in one process, against budgets. */
const memory = comparison({
  name: "mcp-memory",
  description: "a validated tools/call between a client and a server in one process",
  callers: memoryCallers,
  sequentialCalls: 2000,
  concurrentCalls: 8000,
  allocation: true,
  limits: [
    ...objectsPassed,
    ...bothEras(
      [
        { work: "sequential", metric: "ns", to: "official v2", atMost: 1 / 6 },
        { work: "sequential", metric: "ns", to: "official v1", atMost: 1 / 3 },
        { work: "sequential", metric: "ns", to: "raw", atMost: 1.25 },
        { work: "64 concurrent", metric: "ns", to: "official v2", atMost: 1 / 4 },
        { work: "allocation", metric: "bytes", to: "official v2", atMost: 1 / 5 },
      ],
      true,
    ),
  ],
  notes: [
    'The official SDKs pass objects in memory without writing them as JSON, as "objects passed" does; all others write and parse every message.',
  ],
});

/** The server as a child process, against budgets. */
const stdio = comparison({
  name: "mcp-stdio",
  description: "a validated tools/call to a server in a child process",
  callers: stdioCallers,
  sequentialCalls: 500,
  concurrentCalls: 8000,
  limits: bothEras(
    [
      { work: "64 concurrent", metric: "ns", to: "official v2", atMost: 1 / 7 },
      { work: "64 concurrent", metric: "ns", to: "raw", atMost: 1 },
    ],
    true,
  ),
});

/** The suites of the protocol. */
export const mcp: readonly Suite[] = [memory, stdio, list, progress, startup];
