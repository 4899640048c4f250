import { watch } from "node:fs";
import { dirname, resolve } from "node:path";

import { connectedSource, proxyServer, type ConnectedSource } from "@tenon/compose";
import { CallRelay, type LaneSetup } from "@tenon/host";
import { lineRedactor } from "@tenon/http/redact";
import { Client, type ClientSession } from "@tenon/mcp/client";
import { CommandTransport } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { serveFront } from "../serve/front.ts";
import { restartingSource } from "../serve/restarting-source.ts";
import { showTapPage } from "../session/inspector-page.ts";
import { servesItself } from "../target/module-target.ts";

/** Changes within this time are one change, in milliseconds. */
const settleMs = 150;

/** Runs a server, and starts it again when its files change. Clients stay connected. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell, signal } = invocation;
  const file = resolve(shell.cwd, invocation.required("file"));
  let [command, ...args] = commandFor(file);
  await using relay = new CallRelay();
  await using page = flags.has("inspect") ? await showTapPage(invocation, file) : undefined;
  const connect = ({ options, prepare }: LaneSetup): Promise<ClientSession> => {
    const client = new Client({ name: "tenon-dev", version: shell.version }, options);
    prepare(client);
    const redact = lineRedactor();
    const stderr = (line: string): void => printer.note(visibleLine(redact(line)));
    const transport = new CommandTransport({ command, args, cwd: shell.cwd, inheritEnv: "all", stderr });
    return client.connect(page?.observe(transport) ?? transport, { signal });
  };
  const start = async (): Promise<ConnectedSource> => {
    // The next version may be of the other kind.
    [command, ...args] = (await servesItself(invocation, file))
      ? commandFor(file)
      : [...shell.self, "serve", file];
    const source = connectedSource({ relay, connect });
    await source.start();
    return source;
  };
  const warn = (error: unknown): void => printer.warn(messageOf(error));
  const restarting = restartingSource(await start(), warn);
  const server = proxyServer(restarting.source, { relay, onError: warn });
  const restart = async (): Promise<void> => {
    try {
      const next = await start();
      const before = restarting.current;
      restarting.replace(next);
      await before.lanes.close(1000);
      server.announce({ origin: "tenon-dev" });
      printer.note("Restarted.");
    } catch (error) {
      printer.warn(`The server does not start: ${messageOf(error)}. The last version keeps running.`);
    }
  };
  const folder = resolve(shell.cwd, flags.text("watch") ?? dirname(file));
  const changes = watchFolder(folder, restart);
  try {
    printer.note(`Watching ${folder}.`);
    await serveFront(invocation, server);
  } finally {
    await changes.close();
    await restarting.source[Symbol.asyncDispose]();
  }
}

/** Whether a file can be part of the program. Files that a server writes, such as logs, are not. */
export function isSource(name: string): boolean {
  return (
    /(?:\.[cm]?[jt]sx?|^\.env|[\\/]\.env)$/.test(name) &&
    !/(?:^|[\\/])(?:node_modules|\.git)(?:[\\/]|$)/.test(name)
  );
}

/** Calls a function after changes in a folder, one call at a time. */
function watchFolder(folder: string, onChange: () => Promise<void>): { close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null && isSource(name)) {
      clearTimeout(timer);
      timer = setTimeout(() => {
        running = running.then(onChange);
      }, settleMs);
    }
  });
  return {
    close() {
      watcher.close();
      clearTimeout(timer);
      return running;
    },
  };
}

function commandFor(file: string): readonly [string, ...string[]] {
  if (!/\.[cm]?[jt]s$/.test(file)) {
    throw usageError(`${file} is not a JavaScript or TypeScript file.`, "tenon dev server.ts");
  }
  const strips = Boolean((process.features as { readonly typescript?: unknown }).typescript);
  return /\.[cm]?ts$/.test(file) && !strips ? ["npx", "--no-install", "tsx", file] : [process.execPath, file];
}
