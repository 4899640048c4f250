import { isIP } from "node:net";
import { parse } from "node:path";

import {
  compose,
  connectedSource,
  proxyServer,
  type ConnectedSource,
  type ConnectedSourceOptions,
} from "@tenon/compose";
import { CallRelay, type LaneLimits } from "@tenon/host";
import type { Server } from "@tenon/mcp/server";

import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { connectTarget, isRelated } from "../serve/connect-target.ts";
import { serveFront } from "../serve/front.ts";
import { offering } from "../serve/tool-filter.ts";
import { resolveTarget, resolveWord } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";

type SourceOptions = Pick<ConnectedSourceOptions, "relay" | "limits" | "isolation">;

/** Serves one target, or many as one, over another transport and in every protocol version. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { printer, rest } = invocation;
  const first = await resolveTarget(invocation);
  const more = await Promise.all(rest.map((word) => resolveWord(invocation, word)));
  const limits = limitsOf(invocation);
  await using relay = new CallRelay({ limits });
  const options = { relay, limits, isolation: isolationOf(invocation) };
  if (more.length > 0) {
    await using server = await serveMany(invocation, [first, ...more], options);
    await serveFront(invocation, server);
    return;
  }
  const onError = (error: unknown): void => printer.warn(messageOf(error));
  await using source = connectedSource({ ...options, ...connectionsOf(invocation, first), onError });
  await source.start();
  await serveFront(invocation, proxyServer(source, { relay, offers: offersOf(invocation), onError }));
}

function offersOf({ flags }: Invocation): ReturnType<typeof offering> {
  return offering({ allow: flags.list("allow"), readOnly: flags.has("read-only") });
}

function connectionsOf(
  invocation: Invocation,
  target: Target,
): Pick<ConnectedSourceOptions, "connect" | "related"> {
  return { connect: connectTarget(invocation, target), related: isRelated(target) };
}

function limitsOf({ flags }: Invocation): LaneLimits {
  const holdMs = flags.duration("hold");
  return holdMs === undefined ? {} : { holdMs };
}

/**
 * The sharing of connections to a legacy server. At an address that is not local, anonymous
 * requests may come from many users, so their calls share none.
 */
function isolationOf({ flags }: Invocation): ConnectedSourceOptions["isolation"] {
  const host = flags.text("host");
  const isLocal = host === undefined || host === "localhost" || host === "::1" || isLoopback(host);
  return flags.has("shared") ? "everybody" : isLocal ? "caller" : "call";
}

function isLoopback(host: string): boolean {
  return isIP(host) === 4 && host.startsWith("127.");
}

async function serveMany(
  invocation: Invocation,
  targets: readonly Target[],
  options: SourceOptions,
): Promise<Server> {
  const { printer, shell } = invocation;
  const warn = (error: unknown, server: string): void => printer.warn(`${server}: ${messageOf(error)}`);
  const servers = new Map<string, Target>();
  for (const target of targets) {
    servers.set(nameOf(target, servers), target);
  }
  const sources: Record<string, ConnectedSource> = {};
  for (const [name, target] of servers) {
    const onError = (error: unknown): void => warn(error, name);
    sources[name] = connectedSource({ ...options, ...connectionsOf(invocation, target), name, onError });
  }
  const server = compose(sources, {
    name: "tenon-proxy",
    version: shell.version,
    relay: options.relay,
    offers: offersOf(invocation),
    onError: warn,
  });
  const started = await Promise.allSettled(
    Object.entries(sources).map(async ([name, source]) => {
      await source.start().catch((error: unknown) => {
        warn(error, name);
        throw error;
      });
    }),
  );
  const failures = started.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  if (failures.length === targets.length) {
    await server.close();
    throw new CliError("connection", "No server could be connected to.", { cause: failures[0] });
  }
  return server;
}

/** A name for a server: of a module or a recording the name of the file, otherwise its label. */
function nameOf(target: Target, taken: ReadonlyMap<string, unknown>): string {
  const { kind, label } = target;
  const isFile = kind === "module" || kind === "cassette";
  const word =
    (isFile ? parse(label).name : label.replace(/^https?:\/\//, ""))
      .replace(/[^A-Za-z0-9-]+/g, "-")
      .slice(-40)
      .replace(/^-+|-+$/g, "") || "server";
  let name = word;
  for (let count = 2; taken.has(name); count++) {
    name = `${word}-${count}`;
  }
  return name;
}
