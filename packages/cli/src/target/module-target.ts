import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";

import { isRecord } from "@tenon/base";
import type { Server } from "@tenon/mcp";

import type { Invocation } from "../command/invocation.ts";
import { CliError, usageError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { environmentOf } from "./environment.ts";
import { readsInput } from "./reads-input.ts";
import type { Target } from "./target.ts";

/** Whether this Node runs TypeScript: since 22.18. */
const stripsTypes = Boolean((process.features as { readonly typescript?: unknown }).typescript);

/**
 * A module as a target: a `Server` that it exports runs in memory. A module that serves standard
 * input and output by itself is started as a program.
 *
 * @throws `CliError` for a module that is neither.
 */
export async function loadModule(invocation: Invocation, path: string, label: string): Promise<Target> {
  if (await servesItself(invocation, path)) {
    return programOf(invocation, path, label);
  }
  await prepareTypeScript(path);
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(path).href);
  } catch (cause) {
    throw new CliError("connection", `${label} cannot be loaded: ${messageOf(cause)}`, {
      hint: `to start it as a program: -- node ${label}`,
      cause,
    });
  }
  const server = await serverIn(loaded);
  if (server === undefined) {
    const names = isRecord(loaded) ? Object.keys(loaded).join(", ") : "";
    throw usageError(
      `${label} exports no Server; it exports ${names === "" ? "nothing" : names}.`,
      `export a Server of @tenon/mcp, or start it as a program: -- node ${label}`,
    );
  }
  return { kind: "module", label, path, server };
}

/** Whether a module reads standard input when it is run, as a server does that connects itself. */
export async function servesItself({ shell, flags, signal }: Invocation, path: string): Promise<boolean> {
  if (cannotServe(path)) {
    return false;
  }
  const env = { ...shell.env, ...environmentOf(flags.list("env"), shell.env) };
  return readsInput(path, { nodeArgs: loaderOf(path), env, cwd: shell.cwd, signal });
}

/**
 * Whether a module exports something, names no standard stream, and imports nothing but packages.
 * Then neither it nor a module of its program serves when it is run.
 */
function cannotServe(path: string): boolean {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // The import of the module reports it.
    return true;
  }
  const imports = /\b(?:from|import)\s*["'](?:[./#]|file:)|\b(?:import|require)\s*\(/;
  return /\bexports?\b/.test(text) && !/std(?:io|in)/i.test(text) && !imports.test(text);
}

/** The arguments of Node that load TypeScript. */
function loaderOf(path: string): readonly string[] {
  if (!/\.[cm]?ts$/.test(path) || stripsTypes) {
    return [];
  }
  try {
    return ["--import", tsxOf(path, ".")];
  } catch {
    // The import of the module reports it.
    return [];
  }
}

function programOf({ shell, flags }: Invocation, path: string, label: string): Target {
  const isTypeScript = /\.[cm]?ts$/.test(path);
  const [command, args] =
    isTypeScript && !stripsTypes ? ["npx", ["--no-install", "tsx", path]] : [process.execPath, [path]];
  const env = environmentOf(flags.list("env"), shell.env);
  return { kind: "server", label, spec: { type: "stdio", command, args, env, cwd: shell.cwd } };
}

/** The loaders that this process has registered. Each further registration slows every import. */
const registered = new Set<string>();

/** Registers `tsx` of the project, if this Node cannot import TypeScript. */
async function prepareTypeScript(path: string): Promise<void> {
  if (!/\.[cm]?ts$/.test(extname(path)) || stripsTypes) {
    return;
  }
  if (process.execArgv.some((argument) => argument.includes("tsx"))) {
    return;
  }
  try {
    const tsx = tsxOf(path, "./esm/api");
    if (!registered.has(tsx)) {
      const { register } = (await import(tsx)) as { register(): unknown };
      register();
      registered.add(tsx);
    }
  } catch (cause) {
    throw new CliError(
      "usage",
      `Node ${process.version} cannot import TypeScript: ${messageOf(cause).split("\n", 1)[0]}`,
      { hint: "npm install --save-dev tsx, or use Node 22.18 or later", cause },
    );
  }
}

/**
 * An entry of the `tsx` of the project. `require` would find its CommonJS file, which
 * cannot register it.
 *
 * @throws `Error` if the project does not have it.
 */
function tsxOf(path: string, entry: "." | "./esm/api"): string {
  const manifest = createRequire(path).resolve("tsx/package.json");
  const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as {
    readonly exports?: Readonly<Record<string, unknown>>;
  };
  const target = targetOf(exports?.[entry]);
  if (target === undefined) {
    throw new Error(`${manifest} does not export ${entry}; update tsx.`);
  }
  return new URL(target, pathToFileURL(manifest)).href;
}

/** The file of an export for `import`. */
function targetOf(entry: unknown): string | undefined {
  if (typeof entry === "string") {
    return entry;
  }
  return isRecord(entry) ? (targetOf(entry["import"]) ?? targetOf(entry["default"])) : undefined;
}

/** The first export that is a server, or that makes one. */
async function serverIn(loaded: unknown): Promise<Server | undefined> {
  const exported = isRecord(loaded) ? loaded : {};
  const values = [exported["default"], exported["server"], ...Object.values(exported)];
  const found = values.find((value) => isServer(value));
  if (found !== undefined) {
    return found;
  }
  for (const make of [exported["createServer"], exported["default"]]) {
    if (typeof make === "function" && make.length === 0 && !/^class\b/.test(String(make))) {
      const made: unknown = await (make as () => unknown)();
      if (isServer(made)) {
        return made;
      }
    }
  }
  return undefined;
}

/** Whether a value is a `Server`, of any copy of the package. */
function isServer(value: unknown): value is Server {
  const server = value as Partial<Server> | undefined | null;
  return (
    typeof server === "object" &&
    server !== null &&
    typeof server.connect === "function" &&
    typeof server.handle === "function" &&
    typeof server.addTool === "function"
  );
}
