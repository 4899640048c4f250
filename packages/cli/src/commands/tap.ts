import { createRecorder } from "@tenon/testing/cassette";
import { StdioTransport } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { createObserver } from "../tap/observed.ts";
import { startRecording, type Recording } from "../tap/recording.ts";
import { relay } from "../tap/relay.ts";
import { checkReachable } from "../target/remote.ts";
import { resolveTarget } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";
import { transportTo } from "../target/transport.ts";

/**
 * Connects a host to a server and records every message. Bytes are passed on unchanged, both
 * of a program and, with `--http`, of a remote server.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { flags } = invocation;
  const target = await resolveTarget(invocation);
  const server = target.kind === "server" ? target.spec : undefined;
  if (flags.has("http") && (server === undefined || server.type === "stdio")) {
    throw usageError(
      `${target.label} is not a remote server, which --http needs.`,
      "to serve a program over HTTP: tenon serve --http -- tenon tap -- <program>",
    );
  }
  if (flags.has("http") && server !== undefined && server.type !== "stdio") {
    checkReachable(target.label, server, "tenon tap --http");
  }
  await using recording = await startRecording(invocation, target.label);
  if (server?.type === "stdio") {
    const { tapProgram } = await import("../tap/program.ts");
    // Without `await` the recording would end at once.
    return await tapProgram(invocation, server, recording);
  }
  if (flags.has("http") && server !== undefined) {
    const { tapRemote } = await import("../tap/http/serve.ts");
    await tapRemote(invocation, { label: target.label, spec: server }, recording);
    return exitCodes.ok;
  }
  await tapOther(invocation, target, recording);
  return exitCodes.ok;
}

/** Records the messages between the host and a target that does not use pipes. */
async function tapOther(invocation: Invocation, target: Target, recording: Recording): Promise<void> {
  const { printer, shell, signal } = invocation;
  const back = await (await transportTo(invocation, target)).connect({ signal });
  const stdout = shell.stdout === process.stdout ? {} : { stdin: shell.stdin, stdout: shell.stdout as never };
  const front = await new StdioTransport(stdout).connect({ signal });
  const connection = createRecorder(recording.sink, recording.options).connect();
  try {
    await relay(front, back, createObserver(connection, printer.note), signal);
  } catch (error) {
    connection.error("read", messageOf(error));
    throw error;
  } finally {
    connection.end();
  }
}
