import { watch } from "node:fs";
import { dirname, resolve } from "node:path";

import { Client, type ClientSession } from "@tenon/mcp/client";
import { CommandTransport } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { createForwarding } from "../serve/forwarding.ts";
import { serveFront } from "../serve/front.ts";
import { proxyServer } from "../serve/proxy-server.ts";
import { sessionSource } from "../serve/session-source.ts";
import type { ProxySource } from "../serve/source.ts";

/** Changes within this time are one change, in milliseconds. */
const settleMs = 150;

/** Runs a server, and starts it again when its files change. Clients stay connected. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell, signal } = invocation;
  const file = resolve(shell.cwd, invocation.required("file"));
  const [command, ...args] = commandFor(file);
  const forwarding = createForwarding();
  const start = async (): Promise<ClientSession> => {
    const client = new Client({ name: "tenon-dev", version: shell.version }, forwarding.client);
    forwarding.prepare(client);
    const stderr = (line: string): void => printer.note(visibleLine(line));
    return client.connect(
      new CommandTransport({ command, args, cwd: shell.cwd, inheritEnv: "all", stderr }),
      { signal },
    );
  };
  let session = await start();
  const source = changing(() => sessionSource(session, forwarding));
  const server = proxyServer(source, { onError: (error) => printer.warn(messageOf(error)) });
  let timer: NodeJS.Timeout | undefined;
  const restart = async (): Promise<void> => {
    try {
      const next = await start();
      const before = session;
      session = next;
      await before.close({ drainMs: 1000 });
      for (const list of ["tools", "prompts", "resources"]) {
        server.announce({ method: `notifications/${list}/list_changed`, origin: "tenon-dev" });
      }
      printer.note("Restarted.");
    } catch (error) {
      printer.warn(`The server does not start: ${messageOf(error)}. The last version keeps running.`);
    }
  };
  const folder = resolve(shell.cwd, flags.text("watch") ?? dirname(file));
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null && !/(?:^|[\\/])(?:node_modules|\.git)(?:[\\/]|$)/.test(name)) {
      clearTimeout(timer);
      timer = setTimeout(() => void restart(), settleMs);
    }
  });
  try {
    printer.note(`Watching ${folder}.`);
    await serveFront(invocation, server);
  } finally {
    watcher.close();
    clearTimeout(timer);
    await session.close({ drainMs: 500 });
  }
}

function commandFor(file: string): readonly [string, ...string[]] {
  if (!/\.[cm]?[jt]s$/.test(file)) {
    throw usageError(`${file} is not a JavaScript or TypeScript file.`, "tenon dev server.ts");
  }
  const strips = Boolean((process.features as { readonly typescript?: unknown }).typescript);
  return /\.[cm]?ts$/.test(file) && !strips ? ["npx", "--no-install", "tsx", file] : [process.execPath, file];
}

/** A source that is made again for every use. */
function changing(make: () => ProxySource): ProxySource {
  return new Proxy({} as ProxySource, {
    get: (_, name) => Reflect.get(make(), name) as unknown,
  });
}
