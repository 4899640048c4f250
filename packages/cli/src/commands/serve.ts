import type { ServerSpec } from "@tenon/host";

import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { createForwarding } from "../serve/forwarding.ts";
import { serveFront } from "../serve/front.ts";
import { proxyServer } from "../serve/proxy-server.ts";
import { sessionSource } from "../serve/session-source.ts";
import type { ProxySource, ToolFilter } from "../serve/source.ts";
import { openTarget } from "../session/open.ts";
import { resolveTarget, resolveWord } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";
import { transportTo } from "../target/transport.ts";

/** Serves one target, or many as one, over another transport and in every protocol version. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, rest } = invocation;
  const filter: ToolFilter = { allow: flags.list("allow"), readOnly: flags.has("read-only") };
  const first = await resolveTarget(invocation);
  const more = await Promise.all(rest.map((word) => resolveWord(invocation, word)));
  await using source =
    more.length === 0 ? await oneSource(invocation, first) : await manySource(invocation, [first, ...more]);
  await serveFront(
    invocation,
    proxyServer(source, { filter, onError: (error) => printer.warn(messageOf(error)) }),
  );
}

async function oneSource(invocation: Invocation, target: Target): Promise<ProxySource> {
  const forwarding = createForwarding();
  const { client, prepare } = forwarding;
  const { session } = await openTarget(invocation, target, { client, prepare });
  return sessionSource(session, forwarding);
}

async function manySource(invocation: Invocation, targets: readonly Target[]): Promise<ProxySource> {
  const { Manager } = await import("@tenon/host");
  const { managerSource } = await import("../serve/manager-source.ts");
  const { printer, shell, signal } = invocation;
  const servers: Record<string, ServerSpec> = {};
  for (const target of targets) {
    const transport = await transportTo(invocation, target);
    servers[nameOf(target, servers)] = { type: "custom", transport: () => transport };
  }
  const manager = new Manager({
    servers,
    info: { name: "tenon", version: shell.version },
    logger: { warn: (message: unknown) => printer.warn(messageOf(message)) },
  });
  const { failed } = await manager.connectAll({ signal });
  for (const [server, error] of failed) {
    printer.warn(`${server}: ${messageOf(error)}`);
  }
  if (failed.size === targets.length) {
    await manager.close();
    throw new CliError("connection", "No server could be connected to.", { cause: [...failed.values()][0] });
  }
  return managerSource(manager, shell.version);
}

/** A name for a server, from its label: the last part of an address or a path. */
function nameOf({ label }: Target, taken: Readonly<Record<string, unknown>>): string {
  const word =
    label
      .replace(/^https?:\/\//, "")
      .replace(/\.[a-z]+$/, "")
      .replace(/[^A-Za-z0-9-]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(-40) || "server";
  let name = word;
  for (let count = 2; Object.hasOwn(taken, name); count++) {
    name = `${word}-${count}`;
  }
  return name;
}
