import { join } from "node:path";
import { parseArgs } from "node:util";

import { compareDefinitions, pointerOf } from "./compare.ts";
import { diffRevisions, findRevision } from "./diff.ts";
import { parseDocument } from "./document.ts";
import { CodegenError } from "./error.ts";
import { generate } from "./generate.ts";
import { importRevision } from "./import.ts";
import type { Descriptions } from "./prose.ts";
import { isUrl, readSource } from "./read-source.ts";
import { isRevisionName, openRepository } from "./repository.ts";
import { staleFiles, writeFiles } from "./write.ts";

/** Where the command line reads and writes. */
export interface CliContext {
  /** Root of the checkout. */
  readonly root: string;
  /** Folder that relative paths on the command line start from. */
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What the process exits with. */
const exitCodes = { ok: 0, drift: 1, usage: 2, unreadable: 3 } as const;

/** The help text. */
export const help = `Usage: npm run codegen -- <command>

  generate [--check]                   write what is generated from schema/; --check only compares
  check <file|url> --revision <date>   compare an upstream schema document with ours, structure only
  import <file|url> --revision <date>  bring a revision's structure into schema/, then generate
      --url <url> --commit <hash>        where upstream keeps it, for schema/sources.json (default: the URL imported)
      --descriptions <file>              JSON object of descriptions by path ("Tool.icons[].src"), used before ours
  diff <date> <date>                   what changed between two revisions, as a table
  --help                               this text

Exit codes: 0 done, nothing differs · 1 differences found · 2 wrong usage · 3 a document is unreadable or malformed
`;

const options = {
  check: { type: "boolean" },
  commit: { type: "string" },
  descriptions: { type: "string" },
  help: { type: "boolean", short: "h" },
  revision: { type: "string" },
  url: { type: "string" },
} as const;

/**
 * Runs one command and gives the exit code; prints results to `out` and errors to `err`, never
 * throws for bad input.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    return await dispatch(argv, context);
  } catch (error) {
    if (!(error instanceof CodegenError)) {
      throw error;
    }
    context.err(`codegen: ${error.message}\n`);
    return error.code === "usage" || error.code === "unknown_revision"
      ? exitCodes.usage
      : exitCodes.unreadable;
  }
}

type Values = { readonly [name in keyof typeof options]?: string | boolean | undefined };

async function dispatch(argv: readonly string[], context: CliContext): Promise<number> {
  const { positionals, values } = parse(argv);
  const [command, ...operands] = positionals;
  if (values.help === true) {
    context.out(help);
    return exitCodes.ok;
  }
  if (command === "generate" && operands.length === 0) {
    return runGenerate(values.check === true, context);
  }
  if (command === "check" && operands.length === 1) {
    return runCheck(operands[0] ?? "", revisionOf(values), context);
  }
  if (command === "import" && operands.length === 1) {
    return runImport(operands[0] ?? "", values, context);
  }
  if (command === "diff" && operands.length === 2) {
    return runDiff(operands[0] ?? "", operands[1] ?? "", context);
  }
  throw new CodegenError(
    "usage",
    `expected a command with its operands, got ${JSON.stringify(positionals.join(" "))}\n\n${help}`,
  );
}

function parse(argv: readonly string[]): { positionals: string[]; values: Values } {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (cause) {
    throw new CodegenError("usage", `${cause instanceof Error ? cause.message : String(cause)}\n\n${help}`, {
      cause,
    });
  }
}

async function runGenerate(checkOnly: boolean, context: CliContext): Promise<number> {
  const files = await generate(openRepository(context.root));
  const stale = checkOnly ? staleFiles(files, context.root) : writeFiles(files, context.root);
  for (const path of stale) {
    context.out(`${checkOnly ? "stale" : "wrote"} ${path}\n`);
  }
  if (checkOnly && stale.length === 0) {
    context.out(`up to date: ${files.size} generated files\n`);
  }
  return checkOnly && stale.length > 0 ? exitCodes.drift : exitCodes.ok;
}

async function runCheck(location: string, revision: string, context: CliContext): Promise<number> {
  const ours = findRevision(openRepository(context.root), revision).document;
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

async function runImport(location: string, values: Values, context: CliContext): Promise<number> {
  const revision = revisionOf(values);
  const text = await readSource(location, context.cwd);
  const undescribed = importRevision(openRepository(context.root), {
    revision,
    text,
    source: location,
    url: textOf(values.url) ?? (isUrl(location) ? location : undefined),
    commit: textOf(values.commit),
    descriptions: await readDescriptions(textOf(values.descriptions), context),
  });
  context.out(`wrote ${join("schema", revision, "schema.json")}\n`);
  for (const name of undescribed) {
    context.out(`no description yet: ${name}\n`);
  }
  return runGenerate(false, context);
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

function runDiff(from: string, to: string, context: CliContext): number {
  context.out(diffRevisions(openRepository(context.root), from, to));
  return exitCodes.ok;
}

function revisionOf(values: Values): string {
  const revision = textOf(values.revision);
  if (revision !== undefined && isRevisionName(revision)) {
    return revision;
  }
  throw new CodegenError("usage", `expected --revision YYYY-MM-DD, got ${String(values.revision)}`);
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
