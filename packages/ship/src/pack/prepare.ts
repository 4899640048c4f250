import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import type { ResolvedLimits } from "@tenon/base";

import {
  configKey,
  isServerPackage,
  plainName,
  type Declaration,
  type ServerPackage,
} from "../declaration.ts";
import { isShipError, ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { declarationOf } from "../package/declaration-of.ts";
import { programOf, readPackage } from "../package/read.ts";
import { loadBundler, type Bundler } from "./bundle.ts";
import { includedFiles, licenseOf, secretFindings } from "./included-files.ts";
import type { PackLimits } from "./limits.ts";
import { requireFacts, type CompleteFacts } from "./manifest.ts";
import type { PackOptions } from "./options.ts";
import type { Files } from "./read-zip.ts";
import { staleFindings } from "./stale.ts";

/** The values that a host would have, by key. */
export type Values = ReadonlyMap<string, string>;

/** Everything that a bundle is made of, before anything is bundled or started. */
export interface Prepared {
  readonly facts: CompleteFacts;
  readonly declaration: Declaration;
  readonly values: Values;
  /** The words that the server gets in its command line. */
  readonly words: readonly string[];
  /** The absolute path of the program. */
  readonly entry: string;
  readonly bundler: Bundler;
  /** The license and the files of `include`. */
  readonly included: Files;
  readonly warnings: readonly Finding[];
}

/**
 * Reads a package and checks everything that can be known before it is bundled.
 *
 * @throws `ShipError` with all problems.
 */
export async function prepare(options: PackOptions, limits: ResolvedLimits<PackLimits>): Promise<Prepared> {
  const read = readPackage(options.folder);
  const { folder } = read;
  const license = licenseOf(folder);
  const problems: Problem[] = [];
  const attempt = async <T>(path: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!isShipError(error)) {
        throw error;
      }
      problems.push({ path, error });
      return undefined;
    }
  };
  const facts = await attempt("package.json", () => requireFacts(read));
  const entry = await attempt("package.json/bin", () => entryOf(folder, options.entry ?? programOf(read)));
  const bundler = await attempt("rolldown", () => loadBundler(folder));
  const declaration = await attempt("package.json/tenon", () =>
    declarationOf(read, { timeoutMs: limits.startTimeoutMs, signal: options.signal }),
  );
  await attempt("--out", () => checkTarget(resolve(folder, options.out ?? "bundle.mcpb")));
  const { env = {}, args = {} } = options;
  const inputs = declaration && (await attempt("package.json/tenon", () => inputsOf(declaration, env, args)));
  const included = await attempt("--include", () =>
    includedFiles(
      folder,
      [...(license?.isFile === true ? [license.name] : []), ...(options.include ?? [])],
      limits,
    ),
  );
  if (
    problems.length > 0 ||
    facts === undefined ||
    entry === undefined ||
    bundler === undefined ||
    declaration === undefined ||
    inputs === undefined ||
    included === undefined
  ) {
    throw together(problems);
  }
  return {
    facts,
    declaration,
    ...inputs,
    entry,
    bundler,
    included,
    warnings: [
      ...staleFindings(facts, entry),
      ...secretFindings(included.keys()),
      ...(license?.isFile === false
        ? [{ path: license.name, severity: "warning" as const, message: "is not a file, and was not packed" }]
        : []),
    ],
  };
}

interface Problem {
  readonly path: string;
  readonly error: ShipError;
}

/** One error for several problems. A single problem is reported by its own error. */
function together(problems: readonly Problem[]): ShipError {
  const [first, ...others] = problems;
  if (first !== undefined && others.length === 0) {
    return first.error;
  }
  const findings = problems.flatMap(
    ({ path, error: { findings: own, hint, message } }): readonly Finding[] => {
      const advice = hint === undefined ? "" : ` (${hint})`;
      return own.length > 0
        ? own.map((each) => ({ ...each, path: each.path || path, message: `${each.message}${advice}` }))
        : [{ path, message: `${message.replace(/\.$/, "")}${advice}` }];
    },
  );
  const lines = findings.map(({ path, message }) => `\n  ${path}: ${message}`).join("");
  return new ShipError("INVALID_PACKAGE", `Cannot pack, because of ${findings.length} problems:${lines}`, {
    findings,
  });
}

function entryOf(folder: string, program: string): string {
  const entry = resolve(folder, program);
  if (!existsSync(entry)) {
    throw new ShipError("INVALID_PACKAGE", `${entry} does not exist.`, { hint: "build the package first" });
  }
  return entry;
}

/** The bundle is written at the end, when a server was started twice. */
function checkTarget(path: string): void {
  const isFolder = (each: string): boolean =>
    statSync(each, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder(dirname(path)) || isFolder(path)) {
    throw new ShipError("NOT_EDITABLE", `${path} must be a file in a folder that exists.`);
  }
}

/** The values for a trial: given values, and defaults. */
function inputsOf(
  declaration: Declaration,
  variables: Readonly<Record<string, string>>,
  words: Readonly<Record<string, string>>,
): Pick<Prepared, "values" | "words"> {
  const { env = {}, args = [] } = declaration;
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
  const values = new Map(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[configKey(name), value] as const])),
  );
  const argv = args.flatMap(({ name }) => {
    const value = values.get(configKey(name));
    return value === undefined ? [] : [...(name.startsWith("--") ? [name] : []), value];
  });
  if (isServerPackage(declaration)) {
    readAsServer(declaration, variables, argv);
  }
  return { values, words: argv };
}

/** Fails as the server would when it starts. */
function readAsServer(
  declaration: ServerPackage,
  env: Readonly<Record<string, string>>,
  argv: readonly string[],
): void {
  try {
    declaration.read({ env, argv });
  } catch (error) {
    if (!isShipError(error, "MISSING_VALUES")) {
      throw error;
    }
    throw new ShipError("MISSING_VALUES", error.message, {
      hint: "set them for the trial with --env and --arg",
      findings: error.findings,
    });
  }
}
