import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { checkOptionNames, isRecord, readLimits, reasonOf, requireOptions } from "@tenon/base";

import { isRequired, type Declaration, type DeclaredVariable } from "../declaration.ts";
import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { packLimits, type PackLimits } from "../pack/limits.ts";
import { declarationOf, declaresInputs } from "../package/declaration-of.ts";
import { missingFacts, readPackage, type PackageFacts } from "../package/read.ts";
import {
  checkServerJson,
  isRepository,
  isSecure,
  type ServerJson,
  type ServerJsonPackage,
} from "./check-server-json.ts";
import { serverJsonSchemaUrl } from "./server-json-schema.ts";

/** Options of {@link planPublish}. */
export interface PublishOptions {
  /** The folder of the package. */
  readonly folder: string;
  /**
   * Whether to read the package, too, and compare it with an existing `server.json`. Without it the
   * `server.json` alone is checked, as for servers in other languages. Default: whether there is a
   * `package.json`.
   */
  readonly fromPackage?: boolean | undefined;
  /** Ends the wait for the module of the declaration, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** The time for the module of the declaration. */
  readonly limits?: Pick<PackLimits, "startTimeoutMs"> | undefined;
}

/** A `server.json` that is checked and not written yet. */
export interface PublishPlan {
  /** The path of the file. */
  readonly file: string;
  /** Whether the file exists already. */
  readonly exists: boolean;
  /** The content: of the existing file with the facts of the package, or new. */
  readonly server: ServerJson;
  /** The text of the file. */
  readonly text: string;
  /** Whether the text differs from the existing file. */
  readonly changes: boolean;
  /** All problems. The server cannot be published while one is an error. */
  readonly findings: readonly Finding[];
}

const maxBytes = 1_048_576;

/**
 * Reads the `server.json` of a folder, brings it up to date with the package and its declaration,
 * and checks it. Properties that the package does not determine stay. Nothing is written.
 *
 * @throws `ShipError` `INVALID_PACKAGE` if there is neither a package nor a `server.json`,
 *   `MALFORMED` if the file is not JSON.
 */
export async function planPublish(options: PublishOptions): Promise<PublishPlan> {
  checkOptionNames("planPublish", options, "folder fromPackage signal limits:object", packLimits);
  requireOptions("planPublish", options, { folder: "string" });
  const { startTimeoutMs: timeoutMs } = readLimits(options.limits, packLimits);
  const { folder } = options;
  const file = join(folder, "server.json");
  const old = readServerJson(file);
  if (!(options.fromPackage ?? existsSync(join(folder, "package.json")))) {
    if (old === undefined) {
      throw new ShipError(
        "INVALID_PACKAGE",
        `There is neither a package.json nor a server.json in ${folder}.`,
        {
          hint: "run the command in the folder of the server",
        },
      );
    }
    const server = old.value as ServerJson;
    return {
      file,
      exists: true,
      server,
      text: old.text,
      changes: false,
      findings: inFile(checkServerJson(server)),
    };
  }
  if (old !== undefined && !isRecord(old.value)) {
    throw new ShipError("MALFORMED", `${file} must contain an object.`);
  }
  const facts = readPackage(folder);
  const declaration = await declarationOf(facts, { timeoutMs, signal: options.signal });
  const server = updated(old?.value ?? {}, facts, declaration);
  const written = `${JSON.stringify(server, undefined, 2)}\n`;
  // The order of properties and the layout are the user's.
  const text = isDeepStrictEqual(old?.value, JSON.parse(written)) ? (old?.text ?? written) : written;
  return {
    file,
    exists: old !== undefined,
    server,
    text,
    changes: text !== old?.text,
    findings: [
      ...packageFindings(facts),
      ...inFile(checkServerJson(server).filter(({ path }) => !isConsequence(path, server))),
    ],
  };
}

function readServerJson(file: string): { readonly text: string; readonly value: unknown } | undefined {
  if (!existsSync(file)) {
    return undefined;
  }
  const text = readFileSync(file, "utf8");
  if (text.length > maxBytes) {
    throw new ShipError("LIMIT", `${file} is longer than ${maxBytes} characters.`);
  }
  try {
    return { text, value: JSON.parse(text.replace(/^\uFEFF/, "")) as unknown };
  } catch (cause) {
    throw new ShipError("MALFORMED", `${file} is not valid JSON: ${reasonOf(cause)}`, { cause });
  }
}

function inFile(findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => ({ ...finding, path: `server.json${finding.path}` }));
}

/** Whether a property is empty because the package lacks a fact, which is reported itself. */
function isConsequence(path: string, { name, version, description }: ServerJson): boolean {
  const [, property = ""] = /^\/(?:packages\/\d+\/)?(\w+)$/.exec(path) ?? [];
  return { name, version, description }[property] === "";
}

/** Problems of the `package.json`, by which the registry recognizes the owner of the package. */
function packageFindings(facts: PackageFacts): readonly Finding[] {
  const { isPrivate, license, mcpName } = facts;
  return [
    ...missingFacts(facts, ["version", "description"]),
    ...missingFacts(facts, ["license", "repository"]).map((each) => ({
      ...each,
      severity: "warning" as const,
    })),
    // The templates have it until the author chooses a license.
    ...(license === "UNLICENSED" && !isPrivate
      ? [
          {
            path: "package.json/license",
            message: "UNLICENSED gives users no rights: choose a license, such as MIT",
            severity: "warning" as const,
          },
        ]
      : []),
    ...(mcpName === undefined
      ? [
          {
            path: "package.json/mcpName",
            message:
              "mcpName is missing: the name of the server in the registry, such as io.github.<user>/<server>",
          },
        ]
      : []),
    ...(isPrivate
      ? [{ path: "package.json/private", message: "a private package cannot be published" }]
      : []),
  ];
}

function updated(old: Partial<ServerJson>, facts: PackageFacts, declaration: Declaration): ServerJson {
  const { description = "", homepage, mcpName, name, repository, version = "" } = facts;
  const listed: readonly unknown[] = Array.isArray(old.packages) ? old.packages : [];
  const isOwn = (each: unknown): each is ServerJsonPackage =>
    isRecord(each) && each["registryType"] === "npm" && each["identifier"] === name;
  const own = listed.find(isOwn);
  const oldRepository = old["repository"];
  // The registry refuses a server with another address, and does not need it.
  const host =
    repository === undefined
      ? undefined
      : ["github", "gitlab"].find((source) => isRepository(repository, source));
  const pack = inOrderOf(own, {
    ...(declaresInputs(facts) ? withoutKeys(own ?? {}, ["packageArguments", "environmentVariables"]) : own),
    registryType: "npm",
    identifier: name,
    version,
    transport: own?.transport ?? { type: "stdio" },
    ...inputsOf(declaration),
  });
  return inOrderOf(old, {
    $schema: serverJsonSchemaUrl,
    name: mcpName ?? old.name ?? "",
    ...(old["title"] === undefined ? {} : { title: old["title"] }),
    // The registry allows 100 characters, npm more.
    description: old.description ?? description.slice(0, 100),
    ...withoutKeys(old, ["$schema", "name", "title", "description", "version", "packages"]),
    ...(repository === undefined || host === undefined
      ? {}
      : {
          repository: {
            ...(isRecord(oldRepository) && oldRepository["url"] === repository ? oldRepository : {}),
            url: repository,
            source: host,
            ...directoryOf(facts),
          },
        }),
    ...(homepage !== undefined && isSecure(homepage) ? { websiteUrl: homepage } : {}),
    version,
    // An entry that is not an object stays and is reported.
    packages: (own === undefined
      ? [pack, ...listed]
      : listed
          .filter((each) => each === own || !isOwn(each))
          .map((each) => (each === own ? pack : each))) as ServerJsonPackage[],
  });
}

/** The properties in the order of an older object, and the rest after them. */
function inOrderOf<T extends object>(old: object | undefined, value: T): T {
  const position = (key: string): number => {
    const index = Object.keys(old ?? {}).indexOf(key);
    return index === -1 ? Infinity : index;
  };
  return Object.fromEntries(
    Object.entries(value).toSorted(([a], [b]) =>
      position(a) === position(b) ? 0 : position(a) - position(b),
    ),
  ) as T;
}

function directoryOf({ json }: PackageFacts): { readonly subfolder?: string } {
  const { repository } = json as { readonly repository?: { readonly directory?: unknown } };
  return typeof repository?.directory === "string" ? { subfolder: repository.directory } : {};
}

function inputsOf({ env = {}, args = [] }: Declaration): Readonly<Record<string, unknown>> {
  const variables = Object.entries(env).map(([name, declared]) => ({ name, ...inputOf(declared) }));
  const words = args.map((declared) =>
    declared.name.startsWith("--")
      ? { type: "named", name: declared.name, ...inputOf(declared) }
      : { type: "positional", valueHint: declared.name, ...inputOf(declared) },
  );
  return {
    ...(words.length === 0 ? {} : { packageArguments: words }),
    ...(variables.length === 0 ? {} : { environmentVariables: variables }),
  };
}

function inputOf(declared: DeclaredVariable): Readonly<Record<string, unknown>> {
  const { description, secret, choices, default: initial } = declared;
  return {
    description,
    isRequired: isRequired(declared),
    ...(secret === true ? { isSecret: true } : {}),
    // The registry is public.
    ...(initial === undefined || secret === true ? {} : { default: initial }),
    ...(choices === undefined ? {} : { choices }),
  };
}

function withoutKeys(object: object, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
