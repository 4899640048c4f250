import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { isRecord } from "@tenon/base";
import { parseConfig } from "@tenon/host/node";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { addServers } from "../target/own-config.ts";

/**
 * Copies the servers of another host's configuration into the configuration of this command line.
 * Variables are copied unchanged, so that no secret is written.
 */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell } = invocation;
  const file = resolve(shell.cwd, invocation.required("file"));
  const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
  parseConfig(parsed, { where: file, env: {} });
  const servers = isRecord(parsed) ? (parsed["mcpServers"] ?? parsed["servers"]) : undefined;
  if (!isRecord(servers)) {
    throw usageError(`${file} has neither mcpServers nor servers as an object.`, "tenon config add <name> …");
  }
  const target = addServers(shell, servers, flags.has("force"));
  const names = Object.keys(servers);
  printer.result({ file: target, names }, () => `${names.join(", ")} were added to ${target}`);
}
