import { isSocketUrl } from "@tenon/http/socket";
import type { CommandConnection } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { keepLines } from "../session/last-words.ts";
import type { Target } from "../target/target.ts";
import { checkAuthorization } from "./explain-authorization.ts";
import type { Findings } from "./finding.ts";
import { checkRevisions, connectForCheck, reportFailure, type CheckedSession } from "./handshake-checks.ts";
import { checkHttp } from "./http-checks.ts";
import { checkLists } from "./list-checks.ts";
import { checkSpec } from "./static-checks.ts";

/** The time for each step if no `--timeout` is given, in milliseconds. */
const stepMs = 15_000;

/** Runs all checks that apply to a target. Calls no tool. */
export async function examine(invocation: Invocation, target: Target, findings: Findings): Promise<void> {
  const { flags, shell, signal } = invocation;
  const limitMs = flags.duration("timeout") ?? stepMs;
  const before = findings.all.length;
  if (target.kind === "server") {
    checkSpec(findings, target.spec, shell);
  }
  if (
    findings.all.slice(before).some(({ status, check }) => status === "failed" && check !== "environment")
  ) {
    return;
  }
  let checked: CheckedSession;
  const lines = keepLines();
  try {
    checked = await connectForCheck(invocation, target, limitMs, { onLine: lines.add });
  } catch (error) {
    signal.throwIfAborted();
    reportFailure(error, target, lines.all, findings);
    if (target.kind === "server" && target.spec.type !== "stdio") {
      await checkRemote(invocation, target, findings, false);
    }
    return;
  }
  try {
    checkIdentity(checked, findings);
    await checkLists(checked.session, checked.seen, signal, findings);
  } finally {
    await checkEnd(checked, findings);
  }
  await checkRevisions(invocation, target, limitMs, checked, findings);
  if (target.kind === "server" && target.spec.type !== "stdio") {
    await checkRemote(invocation, target, findings, true);
  }
}

async function checkRemote(
  invocation: Invocation,
  target: Extract<Target, { kind: "server" }>,
  findings: Findings,
  isConnected: boolean,
): Promise<void> {
  const { spec } = target;
  if (spec.type === "stdio") {
    return;
  }
  try {
    // The permissions of a socket decide who may connect.
    const isProtected = !isSocketUrl(spec.url) && (await checkAuthorization(invocation, spec, findings));
    await checkHttp(invocation, spec, findings, isProtected);
  } catch (error) {
    invocation.signal.throwIfAborted();
    if (isConnected) {
      findings.fail("headers", visibleLine(messageOf(error)), "respond to every request");
    }
  }
}

function checkIdentity({ session }: CheckedSession, findings: Findings): void {
  const { serverInfo, instructions = "", revision } = session;
  if (serverInfo === undefined) {
    findings.note(
      "identity",
      "The server does not name itself.",
      "send serverInfo with a name and a version",
    );
  } else if (serverInfo.name.trim() === "" || serverInfo.version.trim() === "") {
    const empty = serverInfo.name.trim() === "" ? "name" : "version";
    findings.warn("identity", `The ${empty} of the server is empty.`, `send serverInfo with a ${empty}`);
  } else {
    findings.ok(
      "identity",
      `${visibleLine(serverInfo.name)} ${visibleLine(serverInfo.version)}, ${revision}.`,
    );
  }
  if (instructions.length > 8000) {
    findings.warn(
      "sizes",
      `Instructions of ${instructions.length} characters are long.`,
      "shorten them: they are part of every conversation",
    );
  }
}

/** Ends the session, and checks that a program ends when its input ends. */
async function checkEnd({ session, seen }: CheckedSession, findings: Findings): Promise<void> {
  const connection = seen.connection as Partial<CommandConnection> | undefined;
  const { exited } = connection ?? {};
  await session.close({ drainMs: 0 });
  const status = await exited;
  if (status === undefined) {
    return;
  }
  if (status.signal === null) {
    findings.ok("end", "The program ends when its standard input ends.");
  } else {
    findings.warn(
      "end",
      `The program continued after the end of its standard input, until ${status.signal}.`,
      "end the process when standard input ends: hosts that are killed send no signal",
    );
  }
}
