// Runs the official suite and judges its results by more than its exit code.
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

import { judgeBaseline, parseList, serverExtensions } from "./run/baseline.ts";
import { againstBroker } from "./run/broker.ts";
import { clientScenarios, type Revision } from "./run/expected.ts";
import { judge, type Verdict } from "./run/judge.ts";
import { record } from "./run/record.ts";
import { tryAgain } from "./run/second-try.ts";
import { applicableTo, extension, requiredOf, type Selection } from "./run/selection.ts";
import { startServer } from "./run/server.ts";
import { openSuite } from "./run/suite.ts";

const suite = await openSuite();
const out = await mkdtemp(join(tmpdir(), "tenon-conformance-"));
const revisions: readonly Revision[] = ["2025-11-25", "2026-07-28"];
const older = ["2025-03-26", "2025-06-18"] as const;
const quick = process.argv.includes("--quick");

const verdicts: Verdict[] = [];
const clientRevisions = ["2025-03-26", "2025-06-18", ...revisions] as const;

// The legs wait for processes of the suite more than they work, so they run side by side.
await Promise.all([againstServer(), againstServerWithFile(), clients(), broker()]);

async function againstServer(): Promise<void> {
  const server = await startServer();
  try {
    for (const revision of revisions) {
      await runRevision(server.url, revision, requiredOf(revision));
    }
    // The lists of a revision have the scenarios of tasks, too.
    await runExtensions("server extensions", server.url, (scenario) => scenario.startsWith("sep-"));
    for (const revision of quick ? [] : older) {
      await runRevision(server.url, revision, applicableTo(revision));
    }
  } finally {
    await server.stop();
  }
}

async function againstServerWithFile(): Promise<void> {
  const keeping = await startServer({ TASKS_FILE: join(out, "tasks.log") });
  try {
    await runExtensions("server extensions, tasks in a file", keeping.url, (scenario) =>
      scenario.startsWith("tasks-"),
    );
  } finally {
    await keeping.stop();
  }
}

async function broker(): Promise<void> {
  const folder = join(out, "broker");
  const failed = await againstBroker(suite, folder);
  verdicts.push(await judge("broker", folder, { leg: "server", revision: "2026-07-28", failed }));
}

async function clients(): Promise<void> {
  for (const revision of quick ? revisions : clientRevisions) {
    const folder = join(out, `client-${revision}`);
    const failed = await suite.clients(
      clientScenarios[revision],
      revision,
      folder,
      Math.min(2, availableParallelism()),
    );
    const leg = { leg: "client", revision } as const;
    const first = await judge(`client ${revision}`, folder, { ...leg, failed });
    verdicts.push(
      await tryAgain(first, folder, leg, async (scenario, own) => {
        return (await suite.clients([scenario], revision, own, 1)).length === 0;
      }),
    );
  }
}

const inAnyRevision = new Set(clientRevisions.flatMap((revision) => clientScenarios[revision]));
verdicts.push(judgeBaseline(parseList(await suite.list()), inAnyRevision));

let failures = 0;
for (const { name, passed, total, checks, problems, notes } of verdicts) {
  process.stdout.write(
    `${problems.length === 0 ? "✓" : "✗"} ${name}: ${passed}/${total} scenarios, ${checks} checks\n`,
  );
  for (const problem of [...problems, ...notes]) {
    process.stdout.write(`    ${problem}\n`);
  }
  failures += problems.length;
}
if (failures === 0) {
  await rm(out, { recursive: true });
  if (process.argv.includes("--record")) {
    record(verdicts);
  }
} else {
  process.stdout.write(`Details: ${out}\n`);
}
process.exitCode = failures === 0 ? 0 : 1;

/** Runs the scenarios of a protocol version against a server. */
async function runRevision(url: string, revision: string, { all, one }: Selection): Promise<void> {
  const folder = join(out, `server-${revision}`);
  await suite.server(url, all, folder);
  await judgeServer(`server ${revision}`, url, folder, revision, one);
}

/** Runs the scenarios of extensions against a server. */
async function runExtensions(
  name: string,
  url: string,
  wanted: (scenario: string) => boolean,
): Promise<void> {
  const folder = join(out, name.replaceAll(/\W+/g, "-"));
  for (const scenario of serverExtensions.filter(wanted)) {
    await suite.server(url, extension(scenario), folder);
  }
  await judgeServer(name, url, folder, "2026-07-28", extension);
}

/**
 * Judges the scenarios of a server that were run.
 *
 * @param one - The arguments of the suite for one of these scenarios.
 */
async function judgeServer(
  name: string,
  url: string,
  folder: string,
  revision: string,
  one: Selection["one"],
): Promise<void> {
  const leg = { leg: "server", revision } as const;
  verdicts.push(
    await tryAgain(await judge(name, folder, leg), folder, leg, async (scenario, own) => {
      await suite.server(url, one(scenario), own);
      return true;
    }),
  );
}
