import type { Suite } from "../../suite.ts";
import { comparison } from "./compare.ts";
import { heap } from "./heap.ts";
import { lines } from "./lines.ts";
import { memoryCallers } from "./memory.ts";
import { pipeCallers } from "./pipes.ts";

/** Client and server in one process, against budgets. */
const memory = comparison({
  name: "jsonrpc2-memory",
  description: "calls between two peers in one process",
  callers: memoryCallers,
  sequentialCalls: 5000,
  concurrentCalls: 20_000,
  limits: [
    { work: "sequential", metric: "ns", to: "raw", atMost: 2 },
    { work: "64 concurrent", metric: "ns", to: "raw", atMost: 1 / 0.45 },
  ],
});

/** The server as a child process, against budgets. */
const stdio = comparison({
  name: "jsonrpc2-stdio",
  description: "calls to a child process over its pipes",
  callers: pipeCallers,
  sequentialCalls: 1000,
  concurrentCalls: 20_000,
  limits: [
    { work: "64 concurrent", metric: "ns", to: "raw", atMost: 1 / 0.5 },
    { work: "64 concurrent", metric: "ns", to: "vscode-jsonrpc", atMost: 1 / 2.5 },
    { work: "64 concurrent", metric: "cpuNs", to: "raw", atMost: 2 },
    { work: "64 concurrent", metric: "peerCpuNs", to: "raw", atMost: 2 },
  ],
});

/** The suites of the JSON-RPC packages. */
export const jsonrpc2: readonly Suite[] = [memory, stdio, lines, heap];
