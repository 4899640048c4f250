import { configKey, isRequired, plainName, type Declaration, type DeclaredVariable } from "../declaration.ts";
import { ShipError } from "../error.ts";
import { missingFacts, type PackageFacts, type Person } from "../package/read.ts";
import type { LiveFacts } from "./live.ts";

/** The version of the format that is written. Version 0.4 differs for servers in Python only. */
const manifestVersion = "0.3";

/** The place of the program in a bundle. */
export const entryPoint = "server/index.mjs";

/** The manifest of a bundle (MCPB 0.3). */
export interface Manifest {
  readonly manifest_version: string;
  readonly name: string;
  readonly version: string;
  readonly server: {
    readonly type: "node";
    readonly entry_point: string;
    readonly mcp_config: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    };
  };
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
  readonly [property: string]: unknown;
}

/** The facts of a package that every bundle needs. */
export type CompleteFacts = PackageFacts & {
  readonly author: Person;
  readonly version: string;
  readonly description: string;
};

/** @throws `ShipError` `INVALID_PACKAGE`, with all missing and invalid facts. */
export function requireFacts(facts: PackageFacts): CompleteFacts {
  const { author, version, description } = facts;
  // Names of files have it.
  const isOdd = version !== undefined && !/^[\w.+-]{1,128}$/.test(version);
  const findings = [
    ...missingFacts(facts, ["version", "description", "author"]),
    ...(isOdd
      ? [
          {
            path: "package.json/version",
            message: `version must be like 1.0.0; got ${JSON.stringify(version.slice(0, 128))}`,
          },
        ]
      : []),
  ];
  if (author === undefined || version === undefined || description === undefined || isOdd) {
    const reasons = findings.map(({ message }) => message).join(", ");
    throw new ShipError("INVALID_PACKAGE", `Cannot pack with this package.json: ${reasons}.`, { findings });
  }
  return { ...facts, author, version, description };
}

/**
 * Writes the manifest of a bundle from its package, the responses of the server, and the
 * declaration of its variables and arguments.
 */
export function manifestOf(
  facts: CompleteFacts,
  { server, tools, prompts }: LiveFacts,
  { env = {}, args = [] }: Declaration,
): Manifest {
  const { author, version, description, repository, homepage, bugs, license, keywords, node } = facts;
  const variables = Object.entries(env);
  // An optional argument without a value would be a word that the server does not expect.
  const passed = args.filter((each) => isRequired(each) || each.default !== undefined);
  const settings: readonly (readonly [string, DeclaredVariable])[] = [
    ...variables,
    ...passed.map((each) => [each.name, each] as const),
  ];
  const config = Object.fromEntries(
    settings.map(([name, declared]) => [
      configKey(name),
      {
        type: "string",
        title: declared.title ?? plainName(name),
        description: declared.description,
        required: isRequired(declared),
        ...(declared.secret === true ? { sensitive: true } : {}),
        ...(declared.default === undefined || declared.secret === true ? {} : { default: declared.default }),
      },
    ]),
  );
  return {
    manifest_version: manifestVersion,
    name: facts.shortName,
    display_name: server.title ?? server.name,
    version,
    description,
    author: withoutAbsent({ ...author, email: isMail(author.email), url: isUrl(author.url) }),
    ...withoutAbsent({
      repository: repository === undefined ? undefined : { type: "git", url: repository },
      homepage: isUrl(homepage),
      support: isUrl(bugs),
      license,
      keywords: keywords.length === 0 ? undefined : keywords,
    }),
    server: {
      type: "node",
      entry_point: entryPoint,
      mcp_config: {
        command: "node",
        args: [
          `\${__dirname}/${entryPoint}`,
          ...passed.flatMap(({ name }) => [...(name.startsWith("--") ? [name] : []), referenceTo(name)]),
        ],
        ...(variables.length === 0
          ? {}
          : {
              env: Object.fromEntries(variables.map(([name]) => [name, referenceTo(name)])),
            }),
      },
    },
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description: text }) => withoutAbsent({ name, description: text })) }),
    // A manifest wants the text of each prompt, which depends on its arguments.
    ...(prompts.length === 0 ? {} : { prompts_generated: true }),
    compatibility: { runtimes: { node: node ?? ">=20.19" } },
    ...(settings.length === 0 ? {} : { user_config: config }),
  };
}

function referenceTo(name: string): string {
  return `\${user_config.${configKey(name)}}`;
}

function isUrl(text: string | undefined): string | undefined {
  return text !== undefined && URL.canParse(text) ? text : undefined;
}

function isMail(text: string | undefined): string | undefined {
  return text !== undefined && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text) ? text : undefined;
}

function withoutAbsent<T extends object>(properties: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
