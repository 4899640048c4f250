import type { Revision } from "@tenon/protocol";
import { checkServer, type ServerFinding } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { counted } from "../output/counted.ts";
import { visibleLine } from "../output/escape.ts";
import { openTarget, revisionOption } from "../session/open.ts";
import { resolveTarget } from "../target/resolve.ts";

/** Calls tools with arguments that are generated from their schemas, and checks the promises. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, signal } = invocation;
  const target = await resolveTarget(invocation);
  const tools = flags.list("tool");
  const report = await checkServer(
    async (revision: Revision) => {
      printer.progress(`${target.label}: ${revision}`);
      return (await openTarget(invocation, target, { revision, client: { strictness: "strict" } })).session;
    },
    {
      signal,
      ...(tools.length === 0 ? {} : { tools }),
      ...revisionOption(flags.text("revision")),
      ...numbers({
        seed: flags.integer("seed"),
        runs: flags.integer("runs", 1),
        timeoutMs: flags.duration("idle"),
      }),
    },
  ).catch((error: unknown) => {
    throw error instanceof TypeError && error.message.startsWith("Expected names of tools")
      ? usageError(error.message, "`tenon list` with the same target shows the names")
      : error;
  });
  const failed = report.findings.some(({ severity }) => severity === "error");
  printer.result(report, () =>
    [
      ...report.findings.map(lineOf),
      `${counted(report.calls, "call")} of ${counted(report.tools.length, "tool")} in ${report.revisions.join(" and ")}: ` +
        `${counted(report.findings.length, "finding")} (--seed ${report.seed})`,
    ].join("\n"),
  );
  return failed ? exitCodes.failed : exitCodes.ok;
}

function lineOf({ severity, subject, message, revision, arguments: args }: ServerFinding): string {
  const call = args === undefined ? "" : ` with ${JSON.stringify(args).slice(0, 200)}`;
  return visibleLine(`${severity === "error" ? "✗" : "!"} ${subject} (${revision}): ${message}${call}`);
}

function numbers<T extends Readonly<Record<string, number | undefined>>>(
  values: T,
): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number;
  };
}
