/** Why a requirement has no test yet: the part of the work that will bring it. */
export const waitingFor = [
  "jsonrpc2",
  "jsonschema",
  "mcp",
  "stdio",
  "http",
  "auth",
  "host",
  "tasks",
  "extensions",
  "release",
] as const;

/** One of {@link waitingFor}. */
export type WaitingFor = (typeof waitingFor)[number];

/** The parts of the work that are done: nothing may wait for them any more. */
export const done: readonly WaitingFor[] = ["http", "jsonrpc2", "jsonschema", "mcp", "stdio"];

/** The transports that a requirement is about; absent if it holds on each. */
export type TransportName = "memory" | "stdio" | "streamable-http" | "sse" | "logging";

/** One requirement and what becomes of it. It has exactly one of `tests`, `waits` and `notApplicable`. */
export interface Entry {
  /** `S-nnn` (the design) or `R-nnn` (the specification). */
  readonly id: string;
  /** `all`, `legacy`, one revision, `<revision>+`, `<revision>…<revision>`, or `extension`. */
  readonly revisions: string;
  readonly transports?: readonly TransportName[];
  /** The test files that mention the id, seen from the root of the repository, sorted. */
  readonly tests?: readonly string[];
  readonly waits?: WaitingFor;
  /** Why nothing of ours can show it. */
  readonly notApplicable?: string;
}
