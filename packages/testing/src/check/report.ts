import type { Revision } from "@tenon/protocol";

/** The name of a check of `checkServer`. */
export type CheckName =
  | "stable-definitions"
  | "unique-names"
  | "valid-schemas"
  | "accepts-valid-arguments"
  | "refuses-invalid-arguments"
  | "keeps-output-schema"
  | "keeps-hints"
  | "refuses-unknown-names"
  | "survives-calls"
  | "hides-internals"
  | "survives-cancellation"
  | "equal-eras";

/** A defect, or a suspicion, that `checkServer` found. Plain JSON. */
export interface ServerFinding {
  readonly check: CheckName;
  /** `"error"`: the server breaks a promise. `"warning"`: it may have a good reason. */
  readonly severity: "error" | "warning";
  readonly revision: Revision;
  /** The definition concerned, such as `tool "add"`. Empty if the whole server is meant. */
  readonly subject: string;
  /** A sentence with the expected and the actual behavior. */
  readonly message: string;
  /** The arguments of the call that showed it, to call the tool again by hand. */
  readonly arguments?: unknown;
}

/** The result of `checkServer`. Plain JSON. */
export interface ServerReport {
  /** Empty if the server kept all promises that were checked. */
  readonly findings: readonly ServerFinding[];
  /** The revisions that were checked. */
  readonly revisions: readonly Revision[];
  /** The tools that were called. */
  readonly tools: readonly string[];
  /** The number of calls of tools. */
  readonly calls: number;
  /** As the option `seed`, it repeats the same arguments. */
  readonly seed: number;
}

/** Collects findings: one for each check, subject and revision, because a defect shows often. */
export interface Findings {
  add(check: CheckName, subject: string, message: string, rest?: FindingRest): void;
  readonly list: readonly ServerFinding[];
}

/** The optional properties of a finding. */
export type FindingRest = Partial<Pick<ServerFinding, "severity" | "arguments">>;

/** Further findings are omitted. */
const maxFindings = 1_000;

/** Creates the collector of one revision. */
export function createFindings(revision: Revision): Findings {
  const list: ServerFinding[] = [];
  const known = new Set<string>();
  return {
    list,
    add(check, subject, message, { severity = "error", ...rest } = {}) {
      const key = `${check} ${severity} ${subject}`;
      if (!known.has(key) && list.length < maxFindings) {
        known.add(key);
        list.push({ check, severity, revision, subject, message, ...rest });
      }
    },
  };
}
