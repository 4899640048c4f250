import { resolve } from "node:path";

import type { Server } from "@tenon/mcp/server";
import type { Listening, ListeningHandler } from "@tenon/node";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";

/**
 * Serves over standard input and output, or with `--http` at an address, until the client or the
 * user ends it.
 *
 * @returns Whether standard input was closed, by the client or from the start.
 */
export async function serveFront(invocation: Invocation, server: Server): Promise<boolean> {
  const { flags, printer, shell, signal } = invocation;
  const socket = flags.text("socket");
  const isHttp = flags.has("http") || socket !== undefined;
  if (isHttp && flags.has("stdio")) {
    throw usageError("--stdio and --http exclude each other.", "one command for each of them");
  }
  if (!isHttp) {
    const { StdioTransport } = await import("@tenon/transports-stdio");
    const stdout = shell.stdout === process.stdout ? undefined : (shell.stdout as NodeJS.WritableStream);
    const session = await server.connect(
      new StdioTransport(stdout === undefined ? {} : { stdin: shell.stdin, stdout: stdout as never }),
    );
    await Promise.race([session.closed, aborted(signal)]);
    await server.close();
    return !signal.aborted;
  }
  const { createStreamableHandler } = await import("@tenon/transports-streamable-http/server");
  const hosts = flags.list("allowed-host");
  const origins = flags.list("allowed-origin");
  const handler = createStreamableHandler({
    getServer: () => server,
    ...(hosts.length === 0 ? {} : { allowedHosts: hosts }),
    ...(origins.length === 0 ? {} : { allowedOrigins: origins }),
  });
  await using listening = await (socket === undefined
    ? listenAt(handler, flags)
    : listenOn(handler, resolve(shell.cwd, socket)));
  printer.result({ url: listening.url.href }, () => listening.url.href);
  printer.note("Interrupt to end.");
  await aborted(signal);
  await listening.close({ drainMs: 2000 });
  return false;
}

async function listenAt(handler: ListeningHandler, flags: Invocation["flags"]): Promise<Listening> {
  const { listen } = await import("@tenon/node");
  return listen(handler, {
    port: flags.integer("port", 0, 65_535) ?? 0,
    host: flags.text("host") ?? "127.0.0.1",
  });
}

async function listenOn(handler: ListeningHandler, socket: string): Promise<Listening> {
  const { listenOnSocket } = await import("@tenon/node/socket");
  return listenOnSocket(handler, socket);
}

/** Resolves when the user interrupts: this is how a server at an address ends. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((end) => {
    if (signal.aborted) {
      end();
    }
    signal.addEventListener("abort", () => end(), { once: true });
  });
}
