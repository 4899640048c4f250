import type { Verdict } from "./judge.ts";

/** Scenarios of the suite that are not supported. Every scenario of the suite is run or listed. */
export const notSupported: { readonly [leg in "server" | "client"]: readonly string[] } = {
  server: [],
  client: [],
};

/** The scenarios of extensions that servers are run in. */
export const serverExtensions: readonly string[] = [
  "sep-2640-skills-directory",
  "sep-2640-skills-enumeration",
  "sep-2640-skills-manifest",
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-status-notifications",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
];

/** What the suite has. */
export interface Listed {
  readonly leg: "server" | "client";
  readonly name: string;
  /** An extension of the protocol, which no list of required scenarios names. */
  readonly extension: boolean;
}

/** Reads what `list` prints. */
export function parseList(text: string): readonly Listed[] {
  const listed: Listed[] = [];
  let leg: Listed["leg"] | undefined;
  for (const line of text.split("\n")) {
    const heading = /^(\w+).* scenarios /.exec(line)?.[1]?.toLowerCase();
    if (heading !== undefined) {
      leg = heading === "server" || heading === "client" ? heading : undefined;
    }
    const [, name, revisions] = /^ {2}- (\S+) \[(.*)\]$/.exec(line) ?? [];
    if (leg !== undefined && name !== undefined) {
      listed.push({ leg, name, extension: revisions === "extension" });
    }
  }
  return listed;
}

/**
 * Judges the list: what the suite has and is not run must be on it, so that nothing new goes
 * unnoticed, and what is on it must be there.
 *
 * @param run - The scenarios that clients are run in. Servers are run in all but some extensions.
 */
export function judgeBaseline(listed: readonly Listed[], run: ReadonlySet<string>): Verdict {
  const problems: string[] = [];
  for (const { leg, name, extension } of listed) {
    const isRun = leg === "server" ? !extension || serverExtensions.includes(name) : run.has(name);
    if (isRun === notSupported[leg].includes(name)) {
      problems.push(
        isRun
          ? `${name} is run: take it off the list of what is not supported`
          : `${name} is new: run it, or put it on the list of what is not supported`,
      );
    }
  }
  for (const leg of ["server", "client"] as const) {
    for (const name of notSupported[leg]) {
      if (!listed.some((scenario) => scenario.leg === leg && scenario.name === name)) {
        problems.push(`the suite has no ${leg} scenario ${name} any more`);
      }
    }
  }
  const missing = notSupported.server.length + notSupported.client.length;
  const name = `all, ${missing} of them not supported yet`;
  return {
    name,
    passed: listed.length - missing,
    total: listed.length,
    checks: 0,
    checksOf: new Map(),
    problems,
    failing: [],
    notes: [],
  };
}
