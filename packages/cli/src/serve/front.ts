import type { Server } from "@tenon/mcp/server";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";

/**
 * Serves over standard input and output, or with `--http` at an address, until the client or the
 * user ends it.
 */
export async function serveFront(invocation: Invocation, server: Server): Promise<void> {
  const { flags, printer, shell, signal } = invocation;
  if (flags.has("http") && flags.has("stdio")) {
    throw usageError("--stdio and --http exclude each other.", "one command for each of them");
  }
  if (!flags.has("http")) {
    const { StdioTransport } = await import("@tenon/transports-stdio");
    const stdout = shell.stdout === process.stdout ? undefined : (shell.stdout as NodeJS.WritableStream);
    const session = await server.connect(
      new StdioTransport(stdout === undefined ? {} : { stdin: shell.stdin, stdout: stdout as never }),
    );
    await Promise.race([session.closed, aborted(signal)]);
    await server.close();
    return;
  }
  const { createStreamableHandler } = await import("@tenon/transports-streamable-http/server");
  const { listen } = await import("@tenon/node");
  const hosts = flags.list("allowed-host");
  const origins = flags.list("allowed-origin");
  const handler = createStreamableHandler({
    getServer: () => server,
    ...(hosts.length === 0 ? {} : { allowedHosts: hosts }),
    ...(origins.length === 0 ? {} : { allowedOrigins: origins }),
  });
  const host = flags.text("host") ?? "127.0.0.1";
  await using listening = await listen(handler, { port: flags.integer("port") ?? 0, host });
  printer.result({ url: listening.url.href }, () => listening.url.href);
  printer.note("Interrupt to end.");
  await aborted(signal);
  await listening.close({ drainMs: 2000 });
}

/** Resolves when the user interrupts: this is how a server at an address ends. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
