import { inspect } from "node:util";

import { anySignal, reasonOf, type ResolvedLimits } from "@tenon/base";
import { hidden, redactText } from "@tenon/http/redact";
import { Client, type ClientSession } from "@tenon/mcp/client";
import type { Implementation, Prompt, Tool } from "@tenon/protocol";
import { CommandTransport, type CommandConnection } from "@tenon/transports-stdio";

import { ShipError } from "../error.ts";
import type { PackLimits } from "./limits.ts";

/** A program, as it is started. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The values of `env` that errors must not show. Defaults are public. */
  readonly secrets: readonly string[];
  readonly cwd: string;
}

/** The facts that a running server states about itself. */
export interface LiveFacts {
  readonly server: Implementation;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
}

/**
 * Starts a server over standard input and output, lists it, and stops it.
 *
 * @param use - Called while the server runs.
 * @throws `ShipError` `SERVER_FAILED` if it does not start or its lists fail, `LIMIT` if they are
 *   too long.
 */
export async function withServer<T>(
  what: string,
  program: Program,
  limits: Pick<ResolvedLimits<PackLimits>, "maxListed" | "startTimeoutMs">,
  signal: AbortSignal | undefined,
  use: (facts: LiveFacts, session: ClientSession) => T | Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(limits.startTimeoutMs);
  const ends = signal === undefined ? limit : anySignal([signal, limit]);
  const client = new Client({ name: "tenon-ship", version: "0.0.0" });
  const lines: string[] = [];
  const stderr = (line: string): void => {
    lines.push(line);
    lines.splice(0, lines.length - maxLines);
  };
  const command = new CommandTransport({
    command: program.command,
    args: [...program.args],
    env: program.env,
    cwd: program.cwd,
    stderr,
  });
  let connection: CommandConnection | undefined;
  let session: ClientSession | undefined;
  try {
    const transport: Parameters<typeof client.connect>[0] = {
      async connect(options) {
        connection = await command.connect(options);
        return connection;
      },
    };
    session = await client.connect(transport, { signal: ends });
    const facts = await factsOf(session, limits.maxListed, ends);
    return await use(facts, session);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ShipError) {
      throw error;
    }
    const hide = hiderOf(program.secrets);
    const reason = limit.aborted
      ? `it did not respond within ${limits.startTimeoutMs} ms (startTimeoutMs)`
      : (thrownBy(lines.map(hide)) ?? hide(reasonOf(error))).replace(/\.$/, "");
    throw new ShipError("SERVER_FAILED", `${what} cannot be used: ${reason}.`, {
      hint: "pass the variables that it needs with --env, and see `tenon doctor`",
      cause: withoutSecrets(error, hide),
    });
  } finally {
    await session?.close({ drainMs: 1000 });
    // A program that ignores signals still uses its folder, even if it never became a session.
    await connection?.close();
  }
}

/** Shorter values are parts of usual words. */
const shortestSecret = 4;

/** Hides the values of variables in text. A value of several lines is found in each of them. */
function hiderOf(values: readonly string[]): (text: string) => string {
  const secrets = values
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), ...value.split(/\s*\n\s*/)])
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, () => hidden), text);
}

/** Returns an error, or only its text if its properties or causes contain secrets. */
function withoutSecrets(error: unknown, hide: (text: string) => string): unknown {
  const whole = inspect(error, { depth: 10, maxStringLength: null });
  return hide(whole) === whole ? error : new Error(hide(reasonOf(error)));
}

/** Lines of standard error that are kept. */
const maxLines = 40;

/** The error that ended a program of Node, without its stack. */
function thrownBy(lines: readonly string[]): string | undefined {
  const error = lines.findLast((line) => /^(?:Uncaught )?(?:[A-Z]\w*)?Error\b/.test(line));
  return error && redactText(error.slice(0, 1000));
}

async function factsOf(session: ClientSession, most: number, signal: AbortSignal): Promise<LiveFacts> {
  const { serverInfo } = session;
  if (serverInfo === undefined) {
    throw new Error("the server does not state its name");
  }
  return {
    server: serverInfo,
    tools: session.offers("tools/list") ? await all("tools", session.tools({ signal }), most) : [],
    prompts: session.offers("prompts/list") ? await all("prompts", session.prompts({ signal }), most) : [],
  };
}

async function all<T>(what: string, items: AsyncIterable<T>, most: number): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) {
    if (found.length >= most) {
      throw new ShipError("LIMIT", `The server lists more than ${most} ${what} (maxListed).`);
    }
    found.push(item);
  }
  return found;
}
