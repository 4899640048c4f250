import { checkOptionNames } from "@tenon/base";
import { isRpcError } from "@tenon/jsonrpc2/core";
import { Client, type ClientSession, type Server } from "@tenon/mcp";
import { eraOf, revisions as known, type Era, type Revision, type Tool } from "@tenon/protocol";
import { createInMemoryTransports } from "@tenon/transports-memory";

import type { Definitions } from "../definitions/collect.ts";
import { diffDefinitions } from "../definitions/diff.ts";
import { messageOf, type CheckContext } from "./context.ts";
import { checkDefinitions } from "./definitions.ts";
import { CheckEnded, createLink, type Link } from "./link.ts";
import { createFindings, type ServerFinding, type ServerReport } from "./report.ts";
import { checkStrangers } from "./strangers.ts";
import { checkTool } from "./tools.ts";

/** Options of {@link checkServer}. */
export interface CheckServerOptions {
  /**
   * The tools to call. `"readOnly"` (the default): those that the server annotates as read-only.
   * Names: these alone, whatever their annotations. A tool with effects has them, many times.
   */
  readonly tools?: "readOnly" | readonly string[] | undefined;
  /** Calls of each tool with conforming arguments, and at most as many near misses. Default: 20. */
  readonly runs?: number | undefined;
  /** Decides all arguments. Default: 1. */
  readonly seed?: number | undefined;
  /** The revisions to check. Default: the newest of each era that the server speaks. */
  readonly revisions?: readonly Revision[] | undefined;
  /** Idle timeout of each call, in ms. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Ends the check: the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

const defaultTimeoutMs = 10_000;

/** Properties that only one of two revisions has. */
const pathsOfOneEra = new Set(["/execution"]);

const newestOfEach: readonly Revision[] = (["legacy", "modern"] as const).flatMap(newestOf);

function newestOf(era: Era): Revision[] {
  return known.filter((revision) => eraOf(revision) === era).slice(-1);
}

/** Opens a session that speaks a revision. `checkServer` closes it. */
export type OpenSession = (revision: Revision) => Promise<ClientSession>;

/**
 * Checks that a server keeps the promises of its definitions:
 *
 * - Lists are stable and without duplicates, and schemas are valid.
 * - Tools accept arguments that their schema allows, and refuse near misses.
 * - Results match the output schema. Read-only tools give equal results for equal calls.
 * - Calls neither end the server nor crash a tool. Failures show no stack trace and no secret.
 * - Unknown names are refused, and a cancelled call leaves the session usable.
 * - Legacy and modern clients see the same definitions.
 *
 * The arguments are generated from the schemas, with unusual strings and limits. Before they are
 * reported, they are made as small as the failure allows, by further calls. If the server ends,
 * another session is opened, at most 100 times.
 *
 * @param target - A server, which is connected in memory, or a function that opens a session.
 * @throws `TypeError` for options and tools that do not exist; what prevented the connection, if no
 *   revision could be spoken; `signal.reason`.
 */
export async function checkServer(
  target: Server | OpenSession,
  options: CheckServerOptions = {},
): Promise<ServerReport> {
  checkOptionNames("checkServer", options, "tools runs seed revisions timeoutMs signal");
  const { seed = 1, revisions = newestOfEach } = options;
  const findings: ServerFinding[] = [];
  const called = new Set<string>();
  const checked = new Map<Revision, Definitions>();
  let calls = 0;
  let failure: unknown;
  for (const revision of revisions) {
    options.signal?.throwIfAborted();
    let link: Link;
    try {
      const { timeoutMs = defaultTimeoutMs, signal } = options;
      link = await createLink(() => openSession(target, revision), timeoutMs, signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      failure = error;
      continue;
    }
    const context = contextOf(link, revision, options, () => {
      calls++;
    });
    try {
      const definitions = await checkDefinitions(context);
      checked.set(revision, definitions);
      await checkStrangers(context);
      for (const tool of definitions.tools.filter((one) => isChosen(one, options.tools))) {
        called.add(tool.name);
        await checkTool(context, tool);
      }
    } catch (error) {
      if (!(error instanceof CheckEnded) || !checked.has(revision)) {
        throw error;
      }
      context.findings.add("survives-calls", "", error.message);
    } finally {
      findings.push(...context.findings.list);
      await link.close();
    }
  }
  if (checked.size === 0) {
    throw failure;
  }
  checkNames(checked, options.tools);
  findings.push(...compareEras(checked));
  return { findings, revisions: [...checked.keys()], tools: [...called].toSorted(), calls, seed };
}

async function openSession(target: Server | OpenSession, revision: Revision): Promise<ClientSession> {
  if (typeof target === "function") {
    return target(revision);
  }
  const [here, there] = createInMemoryTransports({ serialize: true });
  await target.connect(there);
  // With the clock of the platform, because timeouts must end calls that hang.
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { revisions: [revision], strictness: "strict" },
  );
  return client.connect(here);
}

function contextOf(
  link: Link,
  revision: Revision,
  { runs = 20, seed = 1, timeoutMs = defaultTimeoutMs, signal }: CheckServerOptions,
  onCall: () => void,
): CheckContext {
  return {
    get session() {
      return link.session;
    },
    revive: () => link.revive(),
    findings: createFindings(revision),
    runs,
    seed,
    timeoutMs,
    signal,
    async call(name, args) {
      onCall();
      try {
        return { result: await link.session.callTool({ name, arguments: args }, { timeoutMs, signal }) };
      } catch (error) {
        signal?.throwIfAborted();
        // An error response was sent by a server that lives.
        return { error, ended: isRpcError(error) ? undefined : await link.revive() };
      }
    },
  };
}

function isChosen({ name, annotations }: Tool, chosen: CheckServerOptions["tools"] = "readOnly"): boolean {
  return chosen === "readOnly" ? annotations?.readOnlyHint === true : chosen.includes(name);
}

/** @throws `TypeError` for a tool that the server does not have: a check without calls passes. */
function checkNames(checked: ReadonlyMap<Revision, Definitions>, chosen: CheckServerOptions["tools"]): void {
  const names = new Set([...checked.values()].flatMap(({ tools }) => tools.map(({ name }) => name)));
  const missing = Array.isArray(chosen) ? chosen.find((name) => !names.has(name)) : undefined;
  if (missing !== undefined) {
    throw new TypeError(`Expected names of tools of the server in tools; got ${JSON.stringify(missing)}.`);
  }
}

/** Legacy and modern clients must be able to do the same. */
function compareEras(checked: ReadonlyMap<Revision, Definitions>): ServerFinding[] {
  const [first, ...others] = checked;
  if (first === undefined) {
    return [];
  }
  return others.flatMap(([revision, definitions]) =>
    diffDefinitions(first[1], definitions)
      .filter(({ effect, path }) => effect !== "cosmetic" && !pathsOfOneEra.has(path))
      .map(({ kind, name, path, message }): ServerFinding => {
        const text = `Expected the same definition as in ${first[0]}${path === "" ? "" : ` at ${path}`}. ${message}`;
        const subject = `${kind} ${JSON.stringify(name)}`;
        return { check: "equal-eras", severity: "warning", revision, subject, message: text };
      }),
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The findings of a report as text, one on each line, for the message of a failed test. */
export function formatReport({ findings, calls, tools, revisions }: ServerReport): string {
  const lines = findings.map((finding) => {
    const { check, severity, revision, subject, message } = finding;
    const args =
      finding.arguments === undefined ? "" : ` Arguments: ${messageOf(JSON.stringify(finding.arguments))}`;
    return `${severity} ${check} (${revision}) ${subject}: ${message}${args}`;
  });
  const summary = `${counted(findings.length, "finding")} in ${counted(calls, "call")} of ${counted(tools.length, "tool")}, in ${revisions.join(" and ")}.`;
  return [...lines, summary].join("\n");
}
