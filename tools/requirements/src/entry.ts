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

/** The parts of the work that are complete: no requirement may wait for them. */
export const done: readonly WaitingFor[] = [
  "auth",
  "extensions",
  "http",
  "jsonrpc2",
  "jsonschema",
  "mcp",
  "stdio",
  "tasks",
];

/** The transports that a requirement is about; absent if it holds on each. */
export type TransportName = "memory" | "stdio" | "streamable-http" | "sse" | "logging";

/**
 * How binding the source makes a requirement; `FACT` is a wire shape or definition, `SDK` a
 * recommendation of ours.
 */
export type Level = "MUST" | "MUST NOT" | "SHOULD" | "SHOULD NOT" | "MAY" | "FACT" | "SDK";

/**
 * One requirement and its state. It has exactly one of `tests`, `waits`, `notApplicable` and
 * `deviates`.
 */
export interface Requirement {
  /**
   * `S-nnn` (the design), `R-nnn` (the specification), `E-nnn` (the extensions for skills and apps)
   * `A-nnn` (attacks on authorization) or `B-nnn` (attacks on the broker).
   */
  readonly id: string;
  /** The requirement in one sentence, in our own words. */
  readonly text: string;
  /** Absent for the design and for attacks: all of them are binding. */
  readonly level?: Level;
  /**
   * The party that must comply: `C` client, `S` server, `B` both, `AS` authorization server, `H`
   * host, `SDK` the library, or a role such as `sender`. Absent for the design and for attacks.
   */
  readonly who?: string;
  /** Codes of the pages that the requirement comes from; `linkOf` resolves them. */
  readonly source: readonly string[];
  /** `all`, `legacy`, one revision, `<revision>+`, `<revision>…<revision>`, or `extension`. */
  readonly revisions: string;
  readonly transports?: readonly TransportName[];
  /** The tests whose titles name the requirement, as `<file>: <title>`, sorted. */
  readonly tests?: readonly string[];
  readonly waits?: WaitingFor;
  /** Why no test of this repository can show it. */
  readonly notApplicable?: string;
  /** What the code does instead, and why. */
  readonly deviates?: string;
}

/** A trap (`T-nn`) or an attack (`T-nnn`, `N-nnn`) that tests and comments refer to. */
export interface Reference {
  readonly id: string;
  /** The trap with its remedy, or the attack with the expected outcome. */
  readonly text: string;
  /** The requirements that a trap concerns. */
  readonly about?: readonly string[];
}
