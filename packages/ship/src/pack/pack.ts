import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { checkOptionNames, readLimits, requireOptions, type ResolvedLimits } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import type { PackageFacts } from "../package/read.ts";
import { writeWhole } from "../write-whole.ts";
import { bundleProgram } from "./bundle.ts";
import { checkBytes } from "./included-files.ts";
import { packLimits, type PackLimits } from "./limits.ts";
import { withServer, type LiveFacts, type Program } from "./live.ts";
import { entryPoint, manifestOf, type Manifest } from "./manifest.ts";
import type { PackOptions } from "./options.ts";
import { prepare, type Values } from "./prepare.ts";
import { readZip, type Files } from "./read-zip.ts";
import { startOfBundle, writeFiles } from "./start.ts";
import { writeZip } from "./write-zip.ts";

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
 * @throws `ShipError` that names the step: `INVALID_PACKAGE`, `MISSING_VALUES`, `NO_BUNDLER`,
 *   `BUNDLE_FAILED`, `SERVER_FAILED`, `BAD_ARCHIVE`, `LIMIT`. If the package has several problems
 *   before the first step, `INVALID_PACKAGE` lists all of them.
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
  const { signal, env = {}, call } = options;
  const prepared = await prepare(options, limits);
  const { facts, declaration, values, words, entry, bundler, included, warnings } = prepared;
  const code = Buffer.from(await bundleProgram(bundler, facts.folder, entry));
  const files = new Map<string, Uint8Array>([[entryPoint, code], ...included]);
  checkBytes(entryPoint, code.length, sizeOf(files), limits);
  const first = await inFolder(files, (folder) => {
    const program = {
      command: process.execPath,
      args: [join(folder, entryPoint), ...words],
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
    tryCopy(programIn(packed, folder, values, env), { first, call, limits, signal }),
  );
  const file = resolve(facts.folder, options.out ?? `${facts.shortName}-${manifest.version}.mcpb`);
  await writeWhole(file, bytes, 0o644);
  return {
    file,
    bytes: bytes.length,
    files: [...packed].map(([path, { length }]) => ({ path, bytes: length })),
    manifest,
    called,
    warnings: [...warnings, ...warningsOf(facts, first)],
  };
}

/** Calls a function with a folder that has these files, outside of the project. */
async function inFolder<T>(files: Files, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-pack-"));
  try {
    writeFiles(files, folder);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The command of the manifest, as a host resolves it. */
function programIn(
  files: Files,
  folder: string,
  values: Values,
  given: Readonly<Record<string, string>>,
): Program {
  const start = startOfBundle(files, {
    folder,
    values: Object.fromEntries(values),
    home: homedir(),
    platform: process.platform,
  });
  return {
    ...start,
    env: { ...given, ...start.env },
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

function sizeOf(files: Files): number {
  return [...files.values()].reduce((sum, { length }) => sum + length, 0);
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
