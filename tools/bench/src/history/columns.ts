import { toolShapes } from "@tenon/test-support/instantiations";

/** A number that is kept for each release because it changes little from run to run. */
export interface Column {
  readonly suite: string;
  readonly name: string;
  readonly work: string;
  readonly metric: string;
  /** The candidate. */
  readonly of: string;
  /** The candidate that it is compared with. Without one, the number itself is kept. */
  readonly to?: string;
}

const concurrent = "64 concurrent";
const start = "start to first result";

/** CPU time per call, in this process or in that of the server, as a ratio to bare messages. */
const cpu = (suite: string, work: string, side: "caller" | "server", of: string, to = "raw"): Column => ({
  suite,
  name: `${of}, ${work}, CPU per call of the ${side}, × ${to}`,
  work,
  metric: side === "caller" ? "cpuNs" : "peerCpuNs",
  of,
  to,
});

const eras = [
  ["tenon", "raw"],
  ["tenon 2026", "raw 2026"],
] as const;

/** The columns of all suites but `size`, which keeps everything that it holds to a limit. */
export const columns: readonly Column[] = [
  {
    suite: "mcp-startup",
    name: `${start}, CPU, × bare Node`,
    work: start,
    metric: "cpuNs",
    of: "tenon",
    to: "bare Node",
  },
  {
    suite: "mcp-startup",
    name: `${start}, time, × bare Node`,
    work: start,
    metric: "ns",
    of: "tenon",
    to: "bare Node",
  },
  ...Object.keys(toolShapes).map((shape): Column => ({
    suite: "types",
    name: `instantiations of a tool: ${shape}`,
    work: shape,
    metric: "instantiations",
    of: "tenon",
  })),
  ...eras.map(([of, to]) => cpu("mcp-memory", concurrent, "caller", of, to)),
  ...eras.flatMap(([of, to]) => [
    cpu("mcp-stdio", concurrent, "caller", of, to),
    cpu("mcp-stdio", concurrent, "server", of, to),
  ]),
  ...[
    "2026-07-28, 1 tool",
    "2026-07-28, 100 tools",
    "2025-11-25 in sessions",
    "2025-11-25 without sessions",
  ].map((work) => cpu("http-server", work, "server", "tenon")),
  ...["tenon", "tenon 2025"].map((of) => cpu("http-client", concurrent, "caller", of)),
];
