import { isIP } from "node:net";
import { parse } from "node:path";

import { CallRelay, type LaneLimits } from "@tenon/host";

import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { connectTarget, isRelated } from "../serve/connect-target.ts";
import { serveFront } from "../serve/front.ts";
import { laneSource, type LaneSource, type LaneSourceOptions } from "../serve/lane-source.ts";
import { manySource } from "../serve/many-source.ts";
import { proxyServer } from "../serve/proxy-server.ts";
import type { ProxySource, ToolFilter } from "../serve/source.ts";
import { resolveTarget, resolveWord } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";

/** Serves one target, or many as one, over another transport and in every protocol version. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, rest } = invocation;
  const filter: ToolFilter = { allow: flags.list("allow"), readOnly: flags.has("read-only") };
  const first = await resolveTarget(invocation);
  const more = await Promise.all(rest.map((word) => resolveWord(invocation, word)));
  const limits = limitsOf(invocation);
  await using relay = new CallRelay({ limits });
  const source = {
    relay,
    limits,
    isolation: isolationOf(invocation),
  };
  await using served =
    more.length === 0
      ? await laneSource({ ...source, ...connectionsOf(invocation, first) })
      : await serveMany(invocation, [first, ...more], source);
  const onError = (error: unknown): void => printer.warn(messageOf(error));
  await serveFront(invocation, proxyServer(served, { relay, filter, onError }));
}

function connectionsOf(
  invocation: Invocation,
  target: Target,
): Pick<LaneSourceOptions, "connect" | "related"> {
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
function isolationOf({ flags }: Invocation): LaneSourceOptions["isolation"] {
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
  options: Pick<LaneSourceOptions, "relay" | "limits" | "isolation">,
): Promise<ProxySource> {
  const { printer, shell } = invocation;
  const servers = new Map<string, Target>();
  for (const target of targets) {
    servers.set(nameOf(target, servers), target);
  }
  const sources = new Map<string, LaneSource>();
  const failures: unknown[] = [];
  const warn = (server: string, error: unknown): void => printer.warn(`${server}: ${messageOf(error)}`);
  const opened = await Promise.all(
    [...servers].map(async ([name, target]) => {
      const onFailure = (error: unknown): void => {
        failures.push(error);
        warn(name, error);
      };
      return [
        name,
        await laneSource({ ...options, ...connectionsOf(invocation, target), name, onFailure }),
      ] as const;
    }),
  );
  opened.forEach(([name, source]) => sources.set(name, source));
  const many = manySource(sources, { version: shell.version, relay: options.relay, onError: warn });
  if (failures.length === targets.length) {
    await many[Symbol.asyncDispose]();
    throw new CliError("connection", "No server could be connected to.", { cause: failures[0] });
  }
  return many;
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
