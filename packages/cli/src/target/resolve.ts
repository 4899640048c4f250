import { existsSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";

import type { RemoteSpec, StdioSpec } from "@tenon/host";
import { redactTarget } from "@tenon/http/redact";
import { isSocketUrl } from "@tenon/http/socket";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { findConfigured } from "./configured.ts";
import { environmentOf } from "./environment.ts";
import { headersOf } from "./headers.ts";
import { usualAddress } from "./socket-address.ts";
import { programLabel, type Target } from "./target.ts";

const modules = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]);

/** The names of bundles (MCPB): now, and at first. */
const bundles = new Set([".mcpb", ".dxt"]);

/**
 * Finds out what the target of a command is. Nothing is started yet, but a module is loaded.
 *
 * @param name - The operand that names it.
 * @throws `CliError` for a target that does not exist; the message lists the names that do.
 */
export async function resolveTarget(invocation: Invocation, name = "target"): Promise<Target> {
  const word = invocation.operand(name);
  if (word === undefined) {
    return programTarget(invocation);
  }
  return resolveWord(invocation, word);
}

/** As {@link resolveTarget}, for a word. */
export async function resolveWord(invocation: Invocation, word: string): Promise<Target> {
  const { shell, flags } = invocation;
  if (/^https?:\/\//i.test(word) || isSocketUrl(word)) {
    return remoteTarget(word, headersOf(flags.list("header")));
  }
  if (word.startsWith("@")) {
    return { kind: "kept", label: word, name: word.slice(1) };
  }
  const path = resolve(shell.cwd, word);
  const isFile = existsSync(path) && statSync(path).isFile();
  if (isFile && flags.text("config") === undefined) {
    if (extname(path) === ".jsonl") {
      const { readCassette } = await import("./cassette-target.ts");
      return readCassette(path, word);
    }
    if (bundles.has(extname(path))) {
      const { openBundle } = await import("./bundle-target.ts");
      return openBundle(invocation, path, word);
    }
    if (modules.has(extname(path))) {
      const { loadModule } = await import("./module-target.ts");
      return loadModule(invocation, path, word);
    }
  }
  return findConfigured(invocation, word, isFile ? "file" : looksLikeFile(word) ? "missing" : "no file");
}

/** Whether a person who wrote this word meant a file. */
function looksLikeFile(word: string): boolean {
  return (
    modules.has(extname(word)) ||
    bundles.has(extname(word)) ||
    /\.jsonl?$/.test(word) ||
    /^\.{0,2}[\\/]/.test(word)
  );
}

function programTarget(invocation: Invocation): Target {
  const [command, ...args] = invocation.program ?? [];
  if (command === undefined) {
    throw usageError("Name a <target>, or a program after --.");
  }
  const { shell, flags } = invocation;
  const spec: StdioSpec = {
    type: "stdio",
    command,
    args,
    env: environmentOf(flags.list("env"), shell.env),
    cwd: resolve(shell.cwd, flags.text("cwd") ?? "."),
  };
  return { kind: "server", label: redactTarget(programLabel(command, args)), spec };
}

/** The server at a URL, which receives these headers with every request. */
export function remoteTarget(
  url: string,
  headers: RemoteSpec["headers"],
): Exclude<Target, { kind: "cassette" }> {
  if (!URL.canParse(url)) {
    throw usageError(`${JSON.stringify(url)} is not a URL.`, "write it as in https://example.com:8080/mcp");
  }
  const address = usualAddress(url);
  return { kind: "server", label: withoutSecrets(address), spec: { type: "http", url: address, headers } };
}

/** A URL may hold a token in its query, its fragment or its path. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) {
    return redactTarget(url);
  }
  const parsed = new URL(url);
  parsed.search = "";
  parsed.hash = "";
  return redactTarget(parsed.href);
}
