import { parse } from "node:path";

import type { Asked, HostHandlers, ServerSpec } from "@tenon/host";
import type { ElicitResult } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { createForwarding, type Forwarding } from "../serve/forwarding.ts";
import { serveFront } from "../serve/front.ts";
import { proxyServer } from "../serve/proxy-server.ts";
import { sessionSource } from "../serve/session-source.ts";
import type { ProxySource, ToolFilter } from "../serve/source.ts";
import { openTarget } from "../session/open.ts";
import { resolveTarget, resolveWord } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";
import { transportTo } from "../target/transport.ts";

/** The total time limit of a request to one of many servers, in milliseconds. */
const totalMs = 3_600_000;

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
  const { flags, printer, shell, signal } = invocation;
  const servers: Record<string, ServerSpec> = {};
  const forwardings = new Map<string, Forwarding>();
  for (const target of targets) {
    const transport = await transportTo(invocation, target);
    const name = nameOf(target, servers);
    servers[name] = { type: "custom", transport: () => transport };
    forwardings.set(name, createForwarding());
  }
  const manager = new Manager({
    servers,
    info: { name: "tenon", version: shell.version },
    handlers: handlersOf(forwardings),
    onClient: (client, server) => forwardings.get(server)?.prepare(client),
    policy: {
      // The client in front decides. What servers say reaches it whole.
      drift: "report",
      limits: {
        maxResultBytes: Infinity,
        totalTimeoutMs: flags.duration("timeout") ?? totalMs,
        ...(flags.has("idle") ? { timeoutMs: flags.duration("idle") } : {}),
      },
    },
    logger: {
      warn: ({ err }: { readonly err?: unknown }, message) => printer.warn(`${message}: ${messageOf(err)}`),
    },
  });
  const { failed } = await manager.connectAll({ signal });
  for (const [server, error] of failed) {
    printer.warn(`${server}: ${messageOf(error)}`);
  }
  if (failed.size === targets.length) {
    await manager.close();
    throw new CliError("connection", "No server could be connected to.", { cause: [...failed.values()][0] });
  }
  return managerSource(manager, shell.version, forwardings);
}

/** Sends the input requests of each server to the client whose request the server is handling. */
function handlersOf(forwardings: ReadonlyMap<string, Forwarding>): HostHandlers {
  const elicit = async ({ server, params }: Asked<object>): Promise<ElicitResult> =>
    (await forwardings.get(server)?.elicit(params)) ?? { action: "cancel" };
  return {
    elicitation: { form: elicit, url: elicit },
    async sampling({ server, params }) {
      const forwarding = forwardings.get(server);
      if (forwarding === undefined) {
        throw new Error(`There is no server ${JSON.stringify(server)}.`);
      }
      return forwarding.sample(params);
    },
    // The client in front gets the request itself: see `Forwarding.prepare`.
    roots: () => [],
  };
}

/** A name for a server: of a module or a recording the name of the file, otherwise its label. */
function nameOf(target: Target, taken: Readonly<Record<string, unknown>>): string {
  const { kind, label } = target;
  const isFile = kind === "module" || kind === "cassette";
  const word =
    (isFile ? parse(label).name : label.replace(/^https?:\/\//, ""))
      .replace(/[^A-Za-z0-9-]+/g, "-")
      .slice(-40)
      .replace(/^-+|-+$/g, "") || "server";
  let name = word;
  for (let count = 2; Object.hasOwn(taken, name); count++) {
    name = `${word}-${count}`;
  }
  return name;
}
