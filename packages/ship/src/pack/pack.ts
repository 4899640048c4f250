import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { checkOptionNames, readLimits, requireOptions, type ResolvedLimits } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import { configKey, plainName, type Declaration } from "../declaration.ts";
import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { declarationOf } from "../package/declaration-of.ts";
import { programOf, readPackage, type PackageFacts } from "../package/read.ts";
import { writeWhole } from "../write-whole.ts";
import { bundleProgram } from "./bundle.ts";
import { includedFiles, licenseOf } from "./included-files.ts";
import { packLimits, type PackLimits } from "./limits.ts";
import { withServer, type LiveFacts, type Program } from "./live.ts";
import { entryPoint, manifestOf, requireFacts, type Manifest } from "./manifest.ts";
import { readZip, type Files } from "./read-zip.ts";
import { writeZip } from "./write-zip.ts";

/** Options of {@link pack}. */
export interface PackOptions {
  /** The folder of the package. */
  readonly folder: string;
  /** The file of the server. Default: the program that the package installs. */
  readonly entry?: string | undefined;
  /** The bundle. Default: `<name>-<version>.mcpb` in the folder. */
  readonly out?: string | undefined;
  /** Values of variables while the server is tried. They are not in the bundle. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Values of declared arguments while the server is tried, by their names without dashes. They are
   * not in the bundle.
   */
  readonly args?: Readonly<Record<string, string>> | undefined;
  /** Further files and folders below the folder. They are at the same paths in the bundle. */
  readonly include?: readonly string[] | undefined;
  /**
   * A tool to call without arguments in the packed copy. Default: the first tool with
   * `readOnlyHint` and without required arguments.
   */
  readonly call?: string | undefined;
  /** Stops the server, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Limits on the bundle and on the server. */
  readonly limits?: PackLimits | undefined;
}

/** A bundle that was written and tried. */
export interface PackResult {
  /** The path of the bundle. */
  readonly file: string;
  /** The size of the bundle. */
  readonly bytes: number;
  /** The files in the bundle with their sizes. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly manifest: Manifest;
  /** The tool that was called in the packed copy. */
  readonly called?: string | undefined;
  readonly warnings: readonly Finding[];
}

/**
 * Packs a server over stdio into a bundle (MCPB) that hosts install: one file with everything that
 * the server imports, and a manifest from the responses of the server, which is started for it. The
 * bundle is then read again, extracted into another folder, started, listed and called. It is
 * written only if all of this succeeds. The same sources give the same bytes.
 *
 * @throws `ShipError` that names the step: `INVALID_PACKAGE`, `NO_BUNDLER`, `BUNDLE_FAILED`,
 *   `SERVER_FAILED`, `BAD_ARCHIVE`, `LIMIT`.
 */
export async function pack(options: PackOptions): Promise<PackResult> {
  checkOptionNames(
    "pack",
    options,
    "folder entry out env:object args:object include:array call signal limits:object",
    packLimits,
  );
  requireOptions("pack", options, { folder: "string" });
  const limits = readLimits(options.limits, packLimits);
  const facts = requireFacts(readPackage(options.folder));
  const { signal, env = {}, call } = options;
  const declaration = await declarationOf(facts, { timeoutMs: limits.startTimeoutMs, signal });
  const values = valuesOf(declaration, env, options.args ?? {});
  const entry = resolve(facts.folder, options.entry ?? programOf(facts));
  if (!existsSync(entry)) {
    throw new ShipError("INVALID_PACKAGE", `${entry} does not exist.`, { hint: "build the package first" });
  }
  const code = Buffer.from(await bundleProgram(facts.folder, entry));
  const license = licenseOf(facts.folder);
  const included = [...(license?.isFile === true ? [license.name] : []), ...(options.include ?? [])];
  const files = new Map<string, Uint8Array>([
    [entryPoint, code],
    ...includedFiles(facts.folder, included, code.length, limits),
  ]);
  const first = await inFolder(files, (folder) => {
    const args = argumentsFor(declaration, values);
    const program = {
      command: process.execPath,
      args: [join(folder, entryPoint), ...args],
      env,
      secrets: Object.values(env),
      cwd: folder,
    };
    return withServer("The bundled server", program, limits, signal, (live) => live);
  });
  const manifest = manifestOf(facts, first, declaration);
  files.set("manifest.json", Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`));
  const bytes = writeZip(files);
  const packed = readZip(bytes, limits);
  const called = await inFolder(packed, (folder) =>
    tryCopy(programIn(manifest, folder, values, env), { first, call, limits, signal }),
  );
  const file = resolve(facts.folder, options.out ?? `${facts.shortName}-${manifest.version}.mcpb`);
  await writeWhole(file, bytes, 0o644);
  return {
    file,
    bytes: bytes.length,
    files: [...packed].map(([path, { length }]) => ({ path, bytes: length })),
    manifest,
    called,
    warnings: [
      ...warningsOf(facts, first),
      ...(license?.isFile === false
        ? [{ path: license.name, severity: "warning" as const, message: "is not a file, and was not packed" }]
        : []),
    ],
  };
}

/** Calls a function with a folder that has these files, outside of the project. */
async function inFolder<T>(files: Files, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-pack-"));
  try {
    for (const [path, data] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), data);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The command of the manifest, as a host resolves it. */
function programIn(
  { server: { mcp_config: config } }: Manifest,
  folder: string,
  values: Values,
  given: Readonly<Record<string, string>>,
): Program {
  const resolved = (text: string): string =>
    text
      .replaceAll("${__dirname}", folder)
      .replaceAll(/\$\{user_config\.(\w+)\}/g, (whole, key: string) => values.get(key) ?? whole);
  return {
    // A host brings its own Node.
    command: process.execPath,
    args: config.args.map(resolved),
    env: {
      ...given,
      ...Object.fromEntries(Object.entries(config.env ?? {}).map(([name, text]) => [name, resolved(text)])),
    },
    secrets: Object.values(given),
    cwd: folder,
  };
}

interface Trial {
  readonly first: LiveFacts;
  readonly call: string | undefined;
  readonly limits: ResolvedLimits<PackLimits>;
  readonly signal: AbortSignal | undefined;
}

function tryCopy(program: Program, { first, call, limits, signal }: Trial): Promise<string | undefined> {
  return withServer("The packed copy", program, limits, signal, async ({ tools }, session) => {
    const [before, after] = [first.tools, tools].map((list) =>
      list
        .map(({ name }) => name)
        .toSorted()
        .join(", "),
    );
    if (before !== after) {
      throw new ShipError("SERVER_FAILED", `Tools of the packed copy must be ${before}; got ${after}.`);
    }
    const tool = tools.find((each) => (call === undefined ? isHarmless(each) : each.name === call));
    if (tool === undefined) {
      if (call !== undefined) {
        throw new ShipError(
          "SERVER_FAILED",
          `Cannot call ${JSON.stringify(call)}: the server does not list this tool.`,
        );
      }
      return undefined;
    }
    const { isError } = await session.callTool(
      { name: tool.name, arguments: {} },
      { totalTimeoutMs: limits.startTimeoutMs, timeoutMs: limits.startTimeoutMs, signal },
    );
    if (isError === true) {
      throw new ShipError("SERVER_FAILED", `The packed copy failed in a call of its tool ${tool.name}.`);
    }
    return tool.name;
  });
}

function isHarmless({ annotations, inputSchema }: Tool): boolean {
  return annotations?.readOnlyHint === true && (inputSchema.required ?? []).length === 0;
}

/** The values that a host would have, by key. */
type Values = ReadonlyMap<string, string>;

/** The given values, and the defaults. */
function valuesOf(
  { env = {}, args = [] }: Declaration,
  variables: Readonly<Record<string, string>>,
  words: Readonly<Record<string, string>>,
): Values {
  const names = args.map(({ name }) => plainName(name));
  const unknown = Object.keys(words).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new ShipError(
      "INVALID_PACKAGE",
      `The package declares no argument ${JSON.stringify(unknown)}. Its arguments are: ${names.join(", ") || "none"}.`,
    );
  }
  const given = [
    ...Object.entries(env).map(([name, declared]) => [name, variables[name] ?? declared.default] as const),
    ...args.map(({ name, default: initial }) => [name, words[plainName(name)] ?? initial] as const),
  ];
  return new Map(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[configKey(name), value] as const])),
  );
}

function argumentsFor(declaration: Declaration, values: Values): readonly string[] {
  return (declaration.args ?? []).flatMap(({ name }) => {
    const value = values.get(configKey(name));
    return value === undefined ? [] : [...(name.startsWith("--") ? [name] : []), value];
  });
}

function warningsOf({ version, license }: PackageFacts, { server }: LiveFacts): readonly Finding[] {
  return [
    ...(server.version === version
      ? []
      : [
          {
            path: "package.json/version",
            severity: "warning" as const,
            message: `the server states version ${server.version}`,
          },
        ]),
    ...(license === undefined
      ? [{ path: "package.json/license", severity: "warning" as const, message: "license is missing" }]
      : []),
  ];
}
