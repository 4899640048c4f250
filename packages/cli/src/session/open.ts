import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { anySignal } from "@tenon/base";
import { redactText } from "@tenon/http/redact";
import type { Transport } from "@tenon/jsonrpc2";
import { RpcError } from "@tenon/jsonrpc2/core";
import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp/client";
import { revisions, type Revision } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { isInteractive } from "../shell.ts";
import { resolveTarget } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";
import { signalWithin, transportTo } from "../target/transport.ts";
import { answersFor } from "./answers.ts";
import { keepLines, withLastWords } from "./last-words.ts";
import { withLogin } from "./offer-login.ts";

/** A session with the target of a command. */
export interface OpenSession extends AsyncDisposable {
  readonly target: Target;
  readonly session: ClientSession;
  /** Aborts when the user interrupts, and when `--elicit` cannot provide requested input. */
  readonly signal: AbortSignal;
}

/** Options of {@link openSession}. */
export interface OpenOptions {
  /** The operand that names the target. Default: `target`. */
  readonly operand?: string | undefined;
  /** Options of the client, in addition to the options that flags set. */
  readonly client?: Partial<ClientOptions> | undefined;
  /** The revision to speak. By default the revision of the flags. */
  readonly revision?: Revision | undefined;
  /** Wraps the transport, to record it. */
  readonly wrap?: ((transport: Transport) => Transport) | undefined;
  /** Called with the client before it connects. */
  readonly prepare?: ((client: Client) => void) | undefined;
}

/** The time for a connection if no `--timeout` is given, in milliseconds. */
const connectMs = 60_000;
/** After this time, or half of the limit, a note names the server. */
const silentMs = 15_000;

/** Opens a session with the target of a command, as its flags say. */
export async function openSession(invocation: Invocation, options: OpenOptions = {}): Promise<OpenSession> {
  return openTarget(invocation, await resolveTarget(invocation, options.operand), options);
}

/**
 * Runs an action in a session with the target of a command. If the server requires a further
 * login for it, and the user logs in, the action runs again in a new session.
 */
export async function inSession<T>(
  invocation: Invocation,
  action: (opened: OpenSession) => Promise<T>,
): Promise<T> {
  const target = await resolveTarget(invocation);
  return withLogin(invocation, target, async () => {
    await using opened = await openTarget(invocation, target);
    // Without `await` the session would end first.
    return await action(opened);
  });
}

/** As {@link openSession}, for a target that is known. */
export async function openTarget(
  invocation: Invocation,
  target: Target,
  options: OpenOptions = {},
): Promise<OpenSession> {
  return withLogin(invocation, target, () => connectTo(invocation, target, options));
}

async function connectTo(invocation: Invocation, target: Target, options: OpenOptions): Promise<OpenSession> {
  const { flags, printer, shell } = invocation;
  const failure = new AbortController();
  const given = await clientOptions(invocation, (error) => failure.abort(error));
  const client = new Client(
    { name: "tenon", version: shell.version },
    {
      ...given,
      ...options.client,
      ...(options.revision === undefined ? {} : { revisions: [options.revision] }),
    },
  );
  options.prepare?.(client);
  printer.progress(`Connecting to ${target.label} …`);
  const timeoutMs = flags.duration("timeout") ?? connectMs;
  using limit = signalWithin(invocation.signal, timeoutMs);
  const lines = keepLines();
  const transport = await transportTo(invocation, target, { onLine: lines.add });
  const silent = setTimeout(
    () => {
      if (target.kind === "server") {
        printer.note(
          `${target.label} has not responded yet. tenon waits ${timeoutMs / 1000} s: see --timeout.`,
        );
      }
    },
    Math.min(silentMs, timeoutMs / 2),
  );
  const session = await client
    .connect(options.wrap?.(transport) ?? transport, { signal: limit })
    .catch((error: unknown) => {
      throw withLastWords(error, lines.all);
    })
    .finally(() => clearTimeout(silent));
  printer.progress(undefined);
  printer.about({ target: target.label, era: session.era });
  return {
    target,
    session,
    signal: anySignal([invocation.signal, failure.signal]),
    async [Symbol.asyncDispose]() {
      // After an interruption there is nothing to wait for but the end of the program.
      await session.close({ drainMs: invocation.signal.aborted ? 0 : 2000 });
    },
  };
}

async function clientOptions(invocation: Invocation, fail: (error: unknown) => void): Promise<ClientOptions> {
  const { flags, printer, shell } = invocation;
  const elicitation = await answersFor(invocation, fail);
  const roots = flags.list("root").map((folder) => ({ uri: pathToFileURL(resolve(shell.cwd, folder)).href }));
  return {
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(isInteractive(shell) ? { sampling: modelOf(invocation) } : {}),
    ...(roots.length === 0 ? {} : { roots }),
    ...revisionOption(flags.text("revision")),
    ...(printer.isVerbose
      ? {
          onLog: ({ level, data }) =>
            printer.note(
              `${level}: ${visibleLine(redactText(typeof data === "string" ? data : JSON.stringify(data)))}`,
            ),
        }
      : {}),
    limits: limitsOf(invocation),
    onError: (error) => printer.warn(messageOf(error)),
  };
}

/** The person at the terminal writes what a model would. */
function modelOf(invocation: Invocation): NonNullable<ClientOptions["sampling"]> {
  return {
    async createMessage(params, { session, signal }) {
      const { askModel } = await import("./ask-person.ts");
      const server = session?.serverInfo?.name ?? "The server";
      const written = await askModel(invocation, params, server, signal);
      if (written === undefined) {
        throw new RpcError(-1, "The user declined the request.");
      }
      return written;
    },
  };
}

/** The revision that `--revision` names. @throws `CliError` for one that is not published. */
export function revisionOption(name: string | undefined): { readonly revisions?: readonly Revision[] } {
  if (name === undefined) {
    return {};
  }
  const known = revisions.find((revision) => revision === name);
  if (known === undefined) {
    throw usageError(`There is no revision ${JSON.stringify(name)}.`, `--revision ${revisions.join(" | ")}`);
  }
  return { revisions: [known] };
}

function limitsOf({ flags }: Invocation): NonNullable<ClientOptions["limits"]> {
  const idle = flags.duration("idle");
  const total = flags.duration("timeout");
  return {
    ...(idle === undefined ? {} : { timeoutMs: idle }),
    // A total limit alone is the only one that counts.
    ...(total === undefined
      ? {}
      : { totalTimeoutMs: total, ...(idle === undefined ? { timeoutMs: total } : {}) }),
  };
}
