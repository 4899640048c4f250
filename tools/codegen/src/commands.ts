import { statSync } from "node:fs";
import { join, resolve } from "node:path";

import { compareDefinitions, pointerOf } from "./compare.ts";
import { diffRevisions } from "./diff.ts";
import { parseDocument } from "./document.ts";
import { CodegenError } from "./error.ts";
import { generateOne } from "./generate-one.ts";
import { generate } from "./generate.ts";
import { importRevision } from "./import.ts";
import type { Descriptions } from "./prose.ts";
import { findRevision, readRevision } from "./read-revision.ts";
import { isUrl, readSource } from "./read-source.ts";
import { commandOf, shownPath } from "./regenerate.ts";
import { isRevisionName, openRepository } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { staleFiles, writeFiles } from "./write.ts";
import type { StaleFile } from "./write.ts";

/** Where the command line reads and writes. */
export interface CliContext {
  /** The folder with `schema/`: the root of the checkout, or a folder of the published package. */
  readonly root: string;
  /** Whether `root` is a checkout of Tenon, whose generated code the commands write. */
  readonly isCheckout: boolean;
  /** Folder that relative paths on the command line start from. */
  readonly cwd: string;
  /** The version of this package. */
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What the process exits with. */
export const exitCodes = { ok: 0, drift: 1, usage: 2, unreadable: 3, io: 4 } as const;

/** The values of the options of the command line. */
export interface CliOptions {
  readonly check?: boolean | undefined;
  readonly commit?: string | undefined;
  readonly descriptions?: string | undefined;
  readonly out?: string | undefined;
  readonly schema?: string | undefined;
  readonly url?: string | undefined;
}

/** The folder of the user's own schemas, outside of a checkout. */
function ownSchemas(options: CliOptions, context: CliContext): string | undefined {
  return context.isCheckout ? undefined : resolve(context.cwd, options.schema ?? "schema");
}

function open(options: CliOptions, context: CliContext): Repository {
  if (options.schema !== undefined && !isFolder(resolve(context.cwd, options.schema))) {
    throw new CodegenError("usage", `--schema ${options.schema}: there is no such directory`);
  }
  return openOrNew(options, context);
}

/** As {@link open}, for a folder of schemas that may not exist yet. */
function openOrNew(options: CliOptions, context: CliContext): Repository {
  return openRepository(context.root, ownSchemas(options, context));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Generates all code of the checkout, or only compares it. */
export async function generateAll(checkOnly: boolean, context: CliContext): Promise<number> {
  const files = await generate(openRepository(context.root));
  return checkOnly
    ? reportStale(staleFiles(files, context.root), files.size, context)
    : reportWritten(writeFiles(files, context.root), files.size, context);
}

/** Generates modules from one document into a folder, or only compares them. */
export async function generateFrom(
  operand: string,
  options: CliOptions,
  context: CliContext,
): Promise<number> {
  if (options.out === undefined) {
    throw new CodegenError("usage", "expected --out <folder>, the folder for the generated modules");
  }
  const folder = resolve(context.cwd, options.out);
  const repository = open(options, context);
  const source = await readRevision(operand, repository, context.cwd);
  const command = commandOf({ operand, out: options.out, schema: options.schema }, context.cwd);
  const { files, notes } = await generateOne(source, repository, `To generate it again: \`${command}\``);
  for (const note of notes) {
    context.err(`note: ${note}\n`);
  }
  const shown = (path: string): string => shownPath(join(folder, path), context.cwd);
  if (options.check === true) {
    const stale = staleFiles(files, folder, "").map((file) => ({ ...file, path: shown(file.path) }));
    return reportStale(stale, files.size, context);
  }
  return reportWritten(writeFiles(files, folder, "").map(shown), files.size, context);
}

function reportStale(stale: readonly StaleFile[], count: number, context: CliContext): number {
  for (const { path, difference } of stale) {
    context.out([`stale ${path}`, ...difference.map((line) => `  ${line}`), ""].join("\n"));
  }
  if (stale.length > 0) {
    return exitCodes.drift;
  }
  context.out(`up to date: ${count} generated files\n`);
  return exitCodes.ok;
}

function reportWritten(written: readonly string[], count: number, context: CliContext): number {
  for (const path of written) {
    context.out(`wrote ${path}\n`);
  }
  if (written.length === 0 && !context.isCheckout) {
    context.out(`up to date: ${count} generated files\n`);
  }
  return exitCodes.ok;
}

/** Compares the structure of a document with that of a revision. */
export async function check(
  location: string,
  revision: string,
  options: CliOptions,
  context: CliContext,
): Promise<number> {
  if (isRevisionName(location)) {
    const message = `check reads a file or a URL; got the protocol version ${location}. To compare protocol versions, use: diff ${location} ${revision}`;
    throw new CodegenError("usage", message);
  }
  const ours = findRevision(open(options, context), revision).document;
  const theirs = parseDocument(await readSource(location, context.cwd), location);
  const differences = compareDefinitions(ours.definitions, theirs.definitions);
  for (const difference of differences) {
    context.out(`${pointerOf(difference, theirs.container)}: ${difference.detail} upstream\n`);
  }
  const sameDialect = ours.dialect === theirs.dialect;
  if (!sameDialect) {
    context.out(`#/$schema: ${ours.dialect} became ${theirs.dialect} upstream\n`);
  }
  const same = differences.length === 0 && sameDialect;
  if (same) {
    context.out(`${revision}: identical in structure\n`);
  }
  return same ? exitCodes.ok : exitCodes.drift;
}

/** Writes the structure of a document into a folder of schemas. In a checkout: generates, too. */
export async function importFrom(
  location: string,
  revision: string,
  options: CliOptions,
  context: CliContext,
): Promise<number> {
  if (isRevisionName(location)) {
    throw new CodegenError("usage", `import reads a file or a URL; got the protocol version ${location}`);
  }
  const text = await readSource(location, context.cwd);
  const folder = ownSchemas(options, context) ?? join(context.root, "schema");
  const target = join(folder, revision, "schema.json");
  const undescribed = importRevision(openOrNew(options, context), {
    revision,
    text,
    source: location,
    folder,
    isOwn: !isUrl(location) && resolve(context.cwd, location) === target,
    url: options.url ?? (isUrl(location) ? location : undefined),
    commit: options.commit,
    descriptions: await readDescriptions(options.descriptions, context),
  });
  const shown = context.isCheckout ? join("schema", revision, "schema.json") : shownPath(target, context.cwd);
  context.out(`wrote ${shown}\n`);
  for (const name of undescribed) {
    context.out(`no description yet: ${name}\n`);
  }
  return context.isCheckout ? generateAll(false, context) : exitCodes.ok;
}

async function readDescriptions(
  location: string | undefined,
  context: CliContext,
): Promise<Descriptions | undefined> {
  if (location === undefined) {
    return undefined;
  }
  const text = await readSource(location, context.cwd);
  try {
    return JSON.parse(text) as Descriptions;
  } catch (cause) {
    throw new CodegenError("invalid_document", `${location}: not JSON`, { cause });
  }
}

/** Prints what changed between two revisions or documents. */
export async function diff(
  from: string,
  to: string,
  options: CliOptions,
  context: CliContext,
): Promise<number> {
  const repository = open(options, context);
  const before = await readRevision(from, repository, context.cwd);
  const after = await readRevision(to, repository, context.cwd);
  context.out(diffRevisions(repository, before, after));
  return exitCodes.ok;
}
