import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { isRecord, kindOf, reasonOf } from "@tenon/base";

import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";

/** A person in a `package.json`. */
export interface Person {
  readonly name: string;
  readonly email?: string | undefined;
  readonly url?: string | undefined;
}

/** The facts of a `package.json` that bundles and registries use. */
export interface PackageFacts {
  readonly folder: string;
  readonly name: string;
  /** The name without a scope. */
  readonly shortName: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly author: Person | undefined;
  readonly license: string | undefined;
  readonly homepage: string | undefined;
  /** The address of the repository for browsers. */
  readonly repository: string | undefined;
  readonly bugs: string | undefined;
  readonly keywords: readonly string[];
  /** The range of versions of Node in `engines`. */
  readonly node: string | undefined;
  readonly mcpName: string | undefined;
  /** Paths by name, relative to the folder. */
  readonly bin: Readonly<Record<string, string>>;
  readonly isPrivate: boolean;
  /** The whole file. */
  readonly json: Readonly<Record<string, unknown>>;
}

const maxBytes = 1_048_576;

/**
 * Reads the `package.json` of a folder.
 *
 * @throws `ShipError` `INVALID_PACKAGE` if there is none, or it is not valid JSON with a name.
 */
export function readPackage(folder: string): PackageFacts {
  const path = join(folder, "package.json");
  if (!existsSync(path)) {
    throw new ShipError("INVALID_PACKAGE", `There is no package.json in ${folder}.`, {
      hint: "run the command in the folder of the server",
    });
  }
  const size = statSync(path).size;
  if (size > maxBytes) {
    throw new ShipError("LIMIT", `${path} has ${size} bytes; there may be ${maxBytes}.`);
  }
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new ShipError("INVALID_PACKAGE", `${path} is not valid JSON: ${reasonOf(cause)}`, { cause });
  }
  if (!isRecord(json)) {
    throw new ShipError("INVALID_PACKAGE", `${path} must contain an object; got ${kindOf(json)}.`);
  }
  const name = textIn(json, "name");
  if (name === undefined) {
    throw new ShipError("INVALID_PACKAGE", `${path} must have a name.`);
  }
  // Names of files and of hosts' entries have it.
  if (name.length > 214 || !/^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/.test(name)) {
    throw new ShipError(
      "INVALID_PACKAGE",
      `${path} must have a name that npm accepts; got ${JSON.stringify(name.slice(0, 214))}.`,
    );
  }
  const shortName = name.replace(/^@[^/]*\//, "");
  const { bin, bugs, engines, keywords, repository } = json;
  return {
    folder,
    name,
    shortName,
    version: textIn(json, "version"),
    description: textIn(json, "description"),
    author: personOf(json["author"]),
    license: textIn(json, "license"),
    homepage: textIn(json, "homepage"),
    repository: webAddress(isRecord(repository) ? textIn(repository, "url") : repository),
    bugs: isRecord(bugs) ? textIn(bugs, "url") : typeof bugs === "string" ? bugs : undefined,
    keywords: Array.isArray(keywords) ? keywords.filter((each) => typeof each === "string") : [],
    node: isRecord(engines) ? textIn(engines, "node") : undefined,
    mcpName: textIn(json, "mcpName"),
    bin: programsIn(bin, shortName),
    isPrivate: json["private"] === true,
    json,
  };
}

/**
 * The path of the program of a package: a file that is named, or the program that the package
 * installs.
 *
 * @throws `ShipError` `INVALID_PACKAGE` if the package has none or several programs.
 */
export function programOf({ bin, shortName }: PackageFacts): string {
  const names = Object.keys(bin);
  const found = bin[shortName] ?? (names.length === 1 ? bin[names[0] ?? ""] : undefined);
  if (found === undefined) {
    throw new ShipError(
      "INVALID_PACKAGE",
      names.length === 0
        ? "There is no program in the package: its package.json has no bin."
        : `There are several programs in the package: ${names.join(", ")}.`,
      { hint: "name the file of the server" },
    );
  }
  return found;
}

/** Whether a package has a script that builds it. */
export function buildsItself({ json: { scripts } }: PackageFacts): boolean {
  return isRecord(scripts) && typeof scripts["build"] === "string";
}

/** The facts that a `package.json` must have before it is published, and lacks. */
export function missingFacts(
  facts: PackageFacts,
  names: readonly ("version" | "description" | "author" | "license" | "repository")[],
): readonly Finding[] {
  return names
    .filter((name) => facts[name] === undefined)
    .map((name) => ({ path: `package.json/${name}`, message: `${name} is missing` }));
}

function textIn(json: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(json, name) ? json[name] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function programsIn(bin: unknown, shortName: string): Readonly<Record<string, string>> {
  const named = typeof bin === "string" ? { [shortName]: bin } : isRecord(bin) ? bin : {};
  return Object.fromEntries(
    Object.entries(named).filter((each): each is [string, string] => typeof each[1] === "string"),
  );
}

/** npm accepts `Name <mail> (url)` too. */
function personOf(author: unknown): Person | undefined {
  if (isRecord(author)) {
    const name = textIn(author, "name");
    return name === undefined
      ? undefined
      : { name, email: textIn(author, "email"), url: textIn(author, "url") };
  }
  if (typeof author !== "string" || author.length > 500) {
    return undefined;
  }
  const name = author.replaceAll(/<[^<>]*>|\([^()]*\)/g, "").trim();
  const [, email] = /<([^<>]*)>/.exec(author) ?? [];
  const [, url] = /\(([^()]*)\)/.exec(author) ?? [];
  return name === "" ? undefined : { name, email, url };
}

/** The address for browsers of a repository, which npm accepts in many forms. */
function webAddress(repository: unknown): string | undefined {
  if (typeof repository !== "string") {
    return undefined;
  }
  const [, host, path] = /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w.-]+)$/.exec(repository) ?? [];
  const hosts: Readonly<Record<string, string>> = {
    github: "github.com",
    gitlab: "gitlab.com",
    bitbucket: "bitbucket.org",
  };
  const address =
    path === undefined
      ? repository
          .replace(/^git\+/, "")
          .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/")
          .replace(/^git:/, "https:")
      : `https://${hosts[host ?? "github"] ?? ""}/${path}`;
  // A branch is for npm.
  return URL.canParse(address) ? address.replace(/(?:\.git)?(?:#.*)?$/, "") : undefined;
}
