import { isLocalError } from "@tenon/jsonrpc2/core";
import { Client, isMcpError, type ClientSession } from "@tenon/mcp/client";
import { eraOf, firstModern, revisions, type Revision } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { causesOf } from "../output/causes.ts";
import { describeError } from "../output/error.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { forPeople } from "../output/for-people.ts";
import { reasonIn, remedyFor } from "../session/last-words.ts";
import type { Target } from "../target/target.ts";
import { signalWithin, transportTo } from "../target/transport.ts";
import type { Findings } from "./finding.ts";
import { observe, type Observation } from "./observe.ts";
import { isDownloaded } from "./static-checks.ts";

/** A connection for checks. */
export interface CheckedSession extends AsyncDisposable {
  readonly session: ClientSession;
  readonly seen: Observation;
  /** The time from the start of the program to the session, in milliseconds. */
  readonly connectMs: number;
}

/** Options of {@link connectForCheck}. */
export interface CheckOptions {
  readonly revision?: Revision | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  /** The maximum time for the response to the probe. Default: {@link probeMsOf}. */
  readonly probeMs?: number | undefined;
}

/**
 * The maximum time for the response to the probe, in milliseconds. It includes the start of a
 * program, so an earlier connection that took long extends it, up to `limitMs`.
 */
export function probeMsOf(target: Target, limitMs: number, connectMs = 0): number {
  // A program may ignore the probe; the response of an address only takes time.
  const isProgram = target.kind === "server" && target.spec.type === "stdio";
  return isProgram
    ? Math.max(500, Math.floor(limitMs / 3), Math.min(limitMs, Math.ceil(2 * connectMs)))
    : limitMs;
}

/** Connects for checks. @param limitMs - For the connection, and for each request. */
export async function connectForCheck(
  invocation: Invocation,
  target: Target,
  limitMs: number,
  { revision, onLine, probeMs }: CheckOptions = {},
): Promise<CheckedSession> {
  // A client of one modern version cannot fall back, so only `timeoutMs` limits its wait.
  const isOneModern = revision !== undefined && eraOf(revision) === "modern";
  const { transport, seen } = observe(await transportTo(invocation, target, { onLine }));
  const client = new Client(
    { name: "tenon-doctor", version: invocation.shell.version },
    {
      ...(revision === undefined ? {} : { revisions: [revision] }),
      // A deviation that another client may reject is a finding.
      strictness: "strict",
      limits: {
        timeoutMs: isOneModern ? (probeMs ?? limitMs) : limitMs,
        probeTimeoutMs: probeMs ?? probeMsOf(target, limitMs),
      },
      onError: () => {},
    },
  );
  using signal = signalWithin(invocation.signal, limitMs * 2);
  const start = performance.now();
  const session = await client.connect(transport, { signal });
  return {
    session,
    seen,
    connectMs: performance.now() - start,
    [Symbol.asyncDispose]: () => session.close({ drainMs: 0 }),
  };
}

/**
 * Tries every published revision. Returns the revisions that the server speaks, in order.
 *
 * @param first - The session before this check. Its revision is spoken, whatever the check finds.
 */
export async function checkRevisions(
  invocation: Invocation,
  target: Target,
  limitMs: number,
  first: CheckedSession,
  findings: Findings,
): Promise<readonly Revision[]> {
  const spoken: Revision[] = [first.session.revision];
  const slow: string[] = [];
  const probeMs = probeMsOf(target, limitMs, first.connectMs);
  let isSilent = false;
  let isPinged = false;
  // A transport remembers for a while that a server is legacy, so the newest revision comes first.
  for (const revision of revisions.toReversed()) {
    invocation.signal.throwIfAborted();
    try {
      await using checked = await connectForCheck(invocation, target, limitMs, { revision, probeMs });
      spoken.push(checked.session.revision);
      if (!isPinged && checked.session.era === "legacy") {
        isPinged = true;
        await checkPing(checked.session, limitMs, invocation.signal, findings);
      }
      if (checked.connectMs > 3000) {
        slow.push(`${revision} in ${secondsOf(checked.connectMs)} s`);
      }
    } catch (error) {
      if (isDisagreement(error) && eraOf(revision) === "legacy") {
        continue;
      }
      const ignores = causesOf(error).some((each) => isLocalError(each, "TIMEOUT"));
      const dies = causesOf(error).some((each) => isLocalError(each, "CONNECTION_CLOSED"));
      if (eraOf(revision) === "modern") {
        if (ignores && spoken.includes(revision)) {
          findings.note(
            "handshake",
            `In ${revision}, the server did not respond within ${secondsOf(probeMs)} s this time.`,
            "raise --timeout if the server starts slowly",
          );
        } else if (ignores) {
          isSilent = true;
          findings.warn(
            "handshake",
            `The server did not respond to server/discover within ${secondsOf(probeMs)} s. Newer clients wait before they fall back to initialize.`,
            "respond to unknown methods with the error -32601, even before initialize",
          );
        } else if (dies) {
          findings.warn(
            "handshake",
            "A request with an unknown method ends the server.",
            "respond to unknown methods with the error -32601, even before initialize",
          );
        }
        continue;
      }
      if (!isDisagreement(error)) {
        findings.fail(
          "handshake",
          `With ${revision}: ${visibleLine(messageOf(error))}`,
          "respond to every version, with the version that the server speaks",
        );
      }
    }
  }
  const distinct = revisions.filter((revision) => spoken.includes(revision));
  if (distinct.length > 0) {
    findings.ok("handshake", `The server speaks ${distinct.join(", ")}.`);
    if (!isSilent && !distinct.some((revision) => eraOf(revision) === "modern")) {
      findings.note(
        "handshake",
        `The stateless versions since ${firstModern} are not spoken.`,
        "update the SDK of the server",
      );
    }
  }
  if (slow.length > 0) {
    findings.note(
      "start",
      `Connecting took long: ${slow.join(", ")}.`,
      target.kind === "server" && target.spec.type === "stdio" && isDownloaded(target.spec, invocation.shell)
        ? "hosts wait 30 to 60 s; install the package instead of downloading it at each start"
        : "hosts wait 30 to 60 s; respond to the first request before slow work",
    );
  }
  return distinct;
}

/** Clients end connections whose pings get no response. */
async function checkPing(
  session: ClientSession,
  timeoutMs: number,
  signal: AbortSignal,
  findings: Findings,
): Promise<void> {
  try {
    await session.ping(undefined, { timeoutMs, signal });
  } catch (error) {
    signal.throwIfAborted();
    findings.fail(
      "ping",
      `In ${session.revision}, a ping gets no result: ${visibleLine(forPeople(messageOf(error)))}`,
      "respond to ping with an empty result: clients end connections that do not",
    );
  }
}

function secondsOf(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function isDisagreement(error: unknown): boolean {
  return isMcpError(error, "UNSUPPORTED_REVISION");
}

/** Reports why no connection was possible. @param lines - The standard error of the program. */
export function reportFailure(
  error: unknown,
  target: Target,
  lines: readonly string[],
  findings: Findings,
): void {
  const { kind, message } = describeError(error);
  const messages = causesOf(error).map(messageOf);
  const words = messages.join("\n");
  const line = visibleLine(message);
  const isProgram = target.kind === "server" && target.spec.type === "stdio";
  const reason = reasonIn(lines)?.slice(0, 500);
  if (kind === "authorization") {
    findings.fail(
      "authorization",
      line,
      "log in with tenon login, or send credentials with --header; tenon auth explain shows each step",
    );
  } else if (/not JSON-RPC/.test(words)) {
    findings.fail(
      "standard output",
      visibleLine(words.match(/[^\n]*not JSON-RPC[^\n]*/)?.[0] ?? line),
      "write logs to standard error: in Node console.error, in Python print(…, file=sys.stderr)",
    );
  } else if (kind === "timeout") {
    const fix = isProgram
      ? "start the program by hand and look where it hangs; a server must respond before it does slow work, and raise --timeout if it only starts slowly"
      : "check the address and the proxy in between, or raise --timeout";
    findings.fail("handshake", `No response: ${line}`, fix);
  } else if (kind === "connection" && isProgram) {
    findings.fail(
      "start",
      visibleLine(
        reason === undefined ? withoutRepeats(messages).slice(0, 1500) : `The program ended: ${reason}`,
      ),
      remedyFor(`${lines.join("\n")}\n${words}`) ??
        "start the program by hand and read its output; it must keep running and read standard input",
    );
  } else if (kind === "connection") {
    findings.fail("connection", line, networkFix(words));
  } else {
    findings.fail(
      "handshake",
      line,
      "respond to initialize with a version of the protocol, capabilities and serverInfo",
    );
  }
}

/** Joins the messages of an error and its causes, without those that repeat a cause. */
function withoutRepeats(messages: readonly string[]): string {
  const repeats = (message: string): boolean =>
    messages.some((other) => other !== message && message.includes(other));
  return messages.filter((message) => !repeats(message)).join("\n");
}

function networkFix(words: string): string {
  if (/ECONNREFUSED/.test(words)) {
    return "start the server, and compare the port; it may listen at another address of this machine (127.0.0.1 and ::1 differ)";
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(words)) {
    return "check the spelling of the host name, and the network";
  }
  if (/CERT|certificate|self.signed/i.test(words)) {
    return "install the certificate authority, and name it in NODE_EXTRA_CA_CERTS";
  }
  return "check the path of the URL: most servers use /mcp or /sse";
}
