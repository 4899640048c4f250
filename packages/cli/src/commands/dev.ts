import { resolve } from "node:path";

import { connectedSource, proxyServer, type ConnectedSource } from "@tenon/compose";
import { CallRelay, type LaneSetup } from "@tenon/host";
import { lineRedactor } from "@tenon/http/redact";
import { Client, type ClientSession } from "@tenon/mcp/client";
import { CommandTransport } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { changedLists } from "../dev/changed-lists.ts";
import { watchFolder, watchModules } from "../dev/watch-files.ts";
import { usageError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { serveFront } from "../serve/front.ts";
import { restartingSource } from "../serve/restarting-source.ts";
import { showTapPage } from "../session/inspector-page.ts";
import { servesItself } from "../target/module-target.ts";

/** The time for calls in flight at the version that is replaced, in milliseconds. */
const drainMs = 60_000;
/** Replaced versions that may still run calls. Calls of any older version are ended. */
const maxReplaced = 5;

/** Runs a server, and starts it again when its files change. Clients stay connected. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell, signal } = invocation;
  const file = resolve(shell.cwd, invocation.required("file"));
  const warn = (error: unknown): void => printer.warn(messageOf(error));
  let [command, ...args] = commandFor(file);
  // The program is started twice: at first to detect whether it reads standard input.
  printer.note(`Starting ${visibleLine(file)} …`);
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
    const source = connectedSource({ relay, connect, onError: warn });
    await source.start();
    return source;
  };
  const restarting = restartingSource(await start(), warn);
  const server = proxyServer(restarting.source, { relay, onError: warn });
  const replaced = new Set<ConnectedSource>();
  const end = async (version: ConnectedSource): Promise<void> => {
    replaced.delete(version);
    await version[Symbol.asyncDispose]();
    restarting.forget(version);
  };
  const restart = async (): Promise<void> => {
    printer.note("Starting again after a change …");
    try {
      const next = await start();
      const before = restarting.current;
      const changed = await changedLists(before.first, next.first, signal);
      const idle = restarting.replace(next);
      // Requests to the replaced version continue while the next version serves.
      if (replaced.size >= maxReplaced) {
        await Promise.all([...replaced].slice(0, 1).map((oldest) => end(oldest)));
      }
      replaced.add(before);
      void idleOrLate(idle).then(() => end(before));
      for (const list of changed) {
        server.announce({ method: `notifications/${list}/list_changed`, origin: "tenon-dev" });
      }
      printer.note("Restarted.");
    } catch (error) {
      printer.warn(`The server does not start: ${messageOf(error)}. The last version keeps running.`);
    }
  };
  const folder = flags.text("watch");
  const changes =
    folder === undefined ? watchModules(file, restart) : watchFolder(resolve(shell.cwd, folder), restart);
  try {
    printer.note(
      `Watching ${folder === undefined ? `${visibleLine(file)} and the modules that it imports` : resolve(shell.cwd, folder)}.`,
    );
    if (await serveFront(invocation, server)) {
      printer.note("Standard input was closed, so the server was stopped. --http serves without it.");
    }
  } finally {
    await changes.close();
    await Promise.all([...replaced].map((before) => end(before)));
    await restarting.source[Symbol.asyncDispose]();
  }
}

/** Resolves when nothing is in flight at a version, or after {@link drainMs}. */
async function idleOrLate(idle: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, drainMs).unref();
  });
  await Promise.race([idle, late]);
  clearTimeout(timer);
}

function commandFor(file: string): readonly [string, ...string[]] {
  if (!/\.[cm]?[jt]s$/.test(file)) {
    throw usageError(`${file} is not a JavaScript or TypeScript file.`, "tenon dev server.ts");
  }
  const strips = Boolean((process.features as { readonly typescript?: unknown }).typescript);
  return /\.[cm]?ts$/.test(file) && !strips ? ["npx", "--no-install", "tsx", file] : [process.execPath, file];
}
