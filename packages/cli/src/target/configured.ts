import { resolve } from "node:path";

import type { Invocation } from "../command/invocation.ts";
import { nearest } from "../command/nearest.ts";
import { CliError, usageError } from "../exit.ts";
import { readConfigurations } from "./configurations.ts";
import { environmentOf } from "./environment.ts";
import { headersOf } from "./headers.ts";
import { usualAddress } from "./socket-address.ts";
import type { Target } from "./target.ts";

/** Whether a word is also the path of a file, or looks like a path without being one. */
export type WordKind = "file" | "missing" | "no file";

/**
 * The server of this name in the configurations, the project's before the user's.
 *
 * @param kind - Whether the word is also the path of a file, or looks like one, for the message.
 * @throws `CliError` if no configuration has it; the message lists the names that exist.
 */
export async function findConfigured(
  { shell, flags, printer }: Invocation,
  name: string,
  kind: WordKind,
): Promise<Target> {
  const file = flags.text("config");
  const read = await readConfigurations(shell, file);
  const broken = read.find(({ error }) => error !== undefined);
  if (file !== undefined && broken !== undefined) {
    throw new CliError("usage", broken.error?.message ?? "", { cause: broken.error });
  }
  const failed = read.find(({ config }) => config?.errors.has(name));
  const found = read.flatMap(({ config, path }) =>
    (config?.servers ?? []).flatMap((server) => (server.name === name ? [{ server, path }] : [])),
  );
  const [first, second] = found;
  if (first === undefined) {
    const reason = failed?.config?.errors.get(name);
    if (reason !== undefined) {
      throw new CliError("usage", `${failed?.path}: ${name}: ${reason.message}`, {
        hint: "set the variable, or correct the entry",
        cause: reason,
      });
    }
    throw unknownTarget(
      name,
      read.flatMap(({ config }) => config?.servers.map((each) => each.name) ?? []),
      kind,
      shell.cwd,
    );
  }
  if (second !== undefined && second.path !== first.path) {
    printer.note(`${name} is taken from ${first.path}; ${second.path} has it too (--config chooses).`);
  }
  const { spec, redacted } = first.server;
  const headers = headersOf(flags.list("header"));
  return {
    kind: "server",
    label: name,
    file: first.path,
    redacted,
    spec:
      spec.type === "stdio"
        ? { ...spec, env: { ...spec.env, ...environmentOf(flags.list("env"), shell.env) } }
        : { ...spec, url: usualAddress(spec.url), headers: { ...spec.headers, ...headers } },
  };
}

function unknownTarget(name: string, names: readonly string[], kind: WordKind, cwd: string): CliError {
  if (kind === "missing") {
    return usageError(`There is no file ${resolve(cwd, name)}.`, "correct its path, or build it first");
  }
  if (kind === "file" && name.endsWith(".json")) {
    return usageError(
      `${name} describes servers, but is not a server itself.`,
      `name the server: a URL, -- <program>, or --config ${name} <name>`,
    );
  }
  if (kind === "file") {
    return usageError(
      `${name} is neither a module (.js, .ts) nor a recording (.jsonl).`,
      `to start it as a program: -- ${name.includes("/") ? name : `./${name}`}`,
    );
  }
  const known = [...new Set(names)].slice(0, 20);
  const near = nearest(name, known);
  const list = known.length === 0 ? "No server is configured." : `Configured: ${known.join(", ")}.`;
  return usageError(
    `${JSON.stringify(name)} is not a URL, not a file, and not a configured server. ${list}`,
    near ?? (/^[\w.-]+:\d+/.test(name) ? `http://${name}` : `to start it as a program: -- ${name}`),
  );
}
