import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { checkOptionNames, isRecord, reasonOf, requireOptions } from "@tenon/base";

import { ShipError } from "../error.ts";
import type { Files } from "./read-zip.ts";

/** Options of {@link extractBundle}. */
export interface BundleStartOptions {
  /** An empty folder. */
  readonly folder: string;
  /**
   * The settings of the user, by their keys or by the variables that they set. By default every
   * setting has its default.
   */
  readonly values?: Readonly<Record<string, string | undefined>> | undefined;
  /** The home directory of the user. */
  readonly home: string;
  /** The platform, whose own command a manifest may have. */
  readonly platform: NodeJS.Platform;
}

/** The command that starts the server of a bundle. */
export interface BundleStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Required settings without a value. A host does not start the server without them. */
  readonly missing: readonly MissingSetting[];
}

/** A setting of a bundle that has no value. */
export interface MissingSetting {
  /** The variable that it sets, or its key. Both are names in {@link BundleStartOptions.values}. */
  readonly name: string;
  readonly description: string;
}

/**
 * Writes the files of a bundle (MCPB) into a folder, and returns the command that starts its
 * server, as hosts read it from the manifest. Nothing is started.
 *
 * @param files - The result of `readBundle`.
 * @throws `ShipError` `BAD_ARCHIVE` if the bundle has no manifest with a command.
 */
export function extractBundle(files: Files, options: BundleStartOptions): BundleStart {
  checkOptionNames("extractBundle", options, "folder values:object home platform");
  requireOptions("extractBundle", options, { folder: "string", home: "string", platform: "string" });
  const start = startOfBundle(files, options);
  writeFiles(files, options.folder);
  return start;
}

/** Writes files into an empty folder. */
export function writeFiles(files: Files, folder: string): void {
  for (const [path, data] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), data);
    // A bundle may contain programs. Their modes are not read.
    chmodSync(join(folder, path), 0o700);
  }
}

/** The command in the manifest of a bundle that is extracted into a folder. */
export function startOfBundle(files: Files, options: BundleStartOptions): BundleStart {
  const manifest = manifestIn(files);
  const config = configOf(manifest, options.platform);
  const settings = isRecord(manifest["user_config"]) ? manifest["user_config"] : {};
  const missing: MissingSetting[] = [];
  const values = new Map<string, readonly string[]>(Object.entries(placesOf(options)));
  for (const [key, setting] of Object.entries(settings)) {
    const declared = isRecord(setting) ? setting : {};
    const names = [...variablesOf(config.env, key), key, key.replaceAll(/\W/g, "_")];
    const { values: given = {} } = options;
    const name = names.find((each) => Object.hasOwn(given, each) && given[each] !== undefined);
    const value = name === undefined ? wordsOf(declared["default"]) : [given[name] ?? ""];
    if (value !== undefined && value.some((word) => word !== "")) {
      values.set(
        `user_config.${key}`,
        value.map((word) => filled(word, values)),
      );
    } else if (declared["required"] === true) {
      const text = declared["description"] ?? declared["title"];
      missing.push({ name: names[0] ?? key, description: typeof text === "string" ? text : "" });
    }
  }
  return {
    // Hosts bring their own Node.
    command: config.command === "node" ? process.execPath : filled(config.command, values),
    args: config.args.flatMap((word) => {
      // Only a whole word may become several.
      const [, name = ""] = /^\$\{([^{}]+)\}$/.exec(word) ?? [];
      return values.get(name) ?? [filled(word, values)];
    }),
    env: Object.fromEntries(Object.entries(config.env).map(([name, word]) => [name, filled(word, values)])),
    missing,
  };
}

type Values = ReadonlyMap<string, readonly string[]>;

/** Replaces references. References without a value stay, as in hosts. */
function filled(word: string, values: Values): string {
  return word.replaceAll(/\$\{([^{}]+)\}/g, (whole, name: string) => values.get(name)?.join(",") ?? whole);
}

/** The folders that a manifest may name. */
function placesOf({
  folder,
  home,
  platform,
}: BundleStartOptions): Readonly<Record<string, readonly string[]>> {
  const separator = platform === "win32" ? "\\" : "/";
  return {
    __dirname: [folder],
    pathSeparator: [separator],
    "/": [separator],
    HOME: [home],
    DESKTOP: [join(home, "Desktop")],
    DOCUMENTS: [join(home, "Documents")],
    DOWNLOADS: [join(home, "Downloads")],
  };
}

/** The variables that consist of a setting alone. */
function variablesOf(env: Readonly<Record<string, string>>, key: string): readonly string[] {
  return Object.entries(env).flatMap(([name, word]) => (word === `\${user_config.${key}}` ? [name] : []));
}

interface Config {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The command of a manifest, with the differences of the platform. */
function configOf(manifest: Readonly<Record<string, unknown>>, platform: NodeJS.Platform): Config {
  const server = isRecord(manifest["server"]) ? manifest["server"] : {};
  const config = isRecord(server["mcp_config"]) ? server["mcp_config"] : {};
  const overrides = isRecord(config["platform_overrides"])
    ? config["platform_overrides"][platform]
    : undefined;
  const merged: Readonly<Record<string, unknown>> = { ...config, ...(isRecord(overrides) ? overrides : {}) };
  const { command, args = [], env = {} } = merged;
  const isValid =
    typeof command === "string" &&
    command !== "" &&
    Array.isArray(args) &&
    args.every((word) => typeof word === "string") &&
    isRecord(env) &&
    Object.values(env).every((word) => typeof word === "string");
  if (!isValid) {
    throw bad("server.mcp_config must have a command, and its args and env must be strings");
  }
  return { command, args, env: env as Record<string, string> };
}

function manifestIn(files: Files): Readonly<Record<string, unknown>> {
  const data = files.get("manifest.json");
  if (data === undefined) {
    throw bad("there is none");
  }
  let manifest: unknown;
  try {
    manifest = JSON.parse(new TextDecoder().decode(data));
  } catch (cause) {
    throw bad(`it is not JSON: ${reasonOf(cause)}`, cause);
  }
  if (!isRecord(manifest)) {
    throw bad("it must be an object");
  }
  return manifest;
}

/** A default as words: numbers and booleans are written as JSON. */
function wordsOf(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) {
    return value.flatMap((each) => wordsOf(each) ?? []);
  }
  return typeof value === "string"
    ? [value]
    : typeof value === "number" || typeof value === "boolean"
      ? [String(value)]
      : undefined;
}

function bad(reason: string, cause?: unknown): ShipError {
  return new ShipError(
    "BAD_ARCHIVE",
    `The manifest.json of the bundle cannot be used: ${reason.replace(/\.$/, "")}.`,
    {
      cause,
    },
  );
}
