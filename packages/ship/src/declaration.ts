import { parseArgs } from "node:util";

import { checkOptionNames, isRecord, kindOf } from "@tenon/base";

import { ShipError } from "./error.ts";

/** A variable of the environment that a server reads. */
export interface DeclaredVariable {
  /** One sentence for the user who sets it. */
  readonly description: string;
  /** Its name in forms. Default: the name of the variable. */
  readonly title?: string | undefined;
  /** Whether the server needs a value. Default: `true`, unless there is a default. */
  readonly required?: boolean | undefined;
  /** Whether its value is hidden. Default: `false`. */
  readonly secret?: boolean | undefined;
  /** The value if it is not set. That of a secret is not written into bundles or the registry. */
  readonly default?: string | undefined;
  /** All values that it may have. By default any. */
  readonly choices?: readonly string[] | undefined;
}

/** An argument that a server reads from its command line. */
export interface DeclaredArgument extends Omit<DeclaredVariable, "secret"> {
  /**
   * With two dashes, as in `--root`, for a named argument. Without dashes, as in `folder`, for an
   * argument that is found by its position.
   */
  readonly name: string;
}

/** The variables and arguments of a server. */
export interface Declaration {
  /** The variables by name. */
  readonly env?: Readonly<Record<string, DeclaredVariable>> | undefined;
  /** The arguments in their order. */
  readonly args?: readonly DeclaredArgument[] | undefined;
}

/** The values of a start: variables by name, arguments by name without dashes. */
export interface PackageValues {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args: Readonly<Record<string, string | undefined>>;
}

/** The sources of values. */
export interface PackageSources {
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The arguments after the program. Default: the arguments of this process. */
  readonly argv?: readonly string[] | undefined;
}

/** A declaration that `tenon ship` reads, and the server itself when it starts. */
export interface ServerPackage extends Declaration {
  /**
   * Reads the values of this start.
   *
   * @throws `ShipError` `MISSING_VALUES` that names every variable and argument that has no value,
   *   or a value that is not allowed, each with its description. Values do not appear in it.
   */
  read(sources?: PackageSources): PackageValues;
}

const brand = Symbol.for("@tenon/ship/ServerPackage");

/**
 * Declares the variables and arguments of a server, once: `read()` checks them before the server
 * starts, and `tenon ship` writes them into bundles and into the registry. Export the result from a
 * module of its own that your `package.json` names: `"tenon": { "package": "./dist/package.js" }`.
 *
 * @throws `TypeError` for a declaration that is not valid.
 */
export function defineServerPackage(declaration: Declaration): ServerPackage {
  checkOptionNames("defineServerPackage", declaration, "env:object args:array");
  const { env = {}, args = [] } = declaration;
  for (const [name, variable] of Object.entries(env)) {
    if (!/^[A-Za-z_]\w{0,127}$/.test(name)) {
      throw new TypeError(`defineServerPackage: ${JSON.stringify(name)} is not the name of a variable.`);
    }
    check(name, variable);
  }
  const names = new Set<string>();
  for (const argument of args) {
    const name: unknown = isRecord(argument) ? argument.name : undefined;
    if (typeof name !== "string" || !/^(?:--)?[a-z][\w-]{0,63}$/i.test(name) || names.has(plainName(name))) {
      throw new TypeError(
        `defineServerPackage: an argument needs a name of its own, such as --root or folder; got ${JSON.stringify(name)}.`,
      );
    }
    names.add(plainName(name));
    check(name, argument);
  }
  // A bundle omits an argument that has no value, so the next argument would take its position.
  const byPosition = args.filter(({ name }) => !name.startsWith("--"));
  const skipped = byPosition.findIndex((each) => each.required === false && each.default === undefined);
  const after = skipped === -1 ? undefined : byPosition[skipped + 1];
  if (after !== undefined) {
    throw new TypeError(
      `defineServerPackage: ${byPosition[skipped]?.name ?? ""} needs a default, because ${after.name} comes after it. Or name one of them with two dashes.`,
    );
  }
  const keys = [...Object.keys(env), ...names].map(configKey);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) {
    throw new TypeError(
      `defineServerPackage: two variables or arguments are called ${twice}, which hosts do not distinguish.`,
    );
  }
  const made: ServerPackage = { env, args, read: (sources = {}) => read({ env, args }, sources) };
  return Object.defineProperty(made, brand, { value: true });
}

/** True for the result of {@link defineServerPackage} of any copy of this package. */
export function isServerPackage(value: unknown): value is ServerPackage {
  return isRecord(value) && (value as Record<symbol, unknown>)[brand] === true;
}

/** Whether a value must be set by the user. */
export function isRequired({ required, default: initial }: Omit<DeclaredVariable, "secret">): boolean {
  return required !== false && initial === undefined;
}

/** The name of an argument without its dashes. */
export function plainName(name: string): string {
  return name.replace(/^--/, "");
}

/** The key of a variable or argument in the settings that a host shows to its user. */
export function configKey(name: string): string {
  return plainName(name).toLowerCase().replaceAll("-", "_");
}

function check(name: string, declared: unknown): void {
  if (!isRecord(declared) || typeof declared["description"] !== "string" || declared["description"] === "") {
    const got = isRecord(declared) ? kindOf(declared["description"]) : kindOf(declared);
    throw new TypeError(`defineServerPackage: ${name} needs a description, a string; got ${got}.`);
  }
  checkOptionNames(
    `defineServerPackage: ${name}`,
    declared as unknown as DeclaredVariable & { name: string },
    "name description title required secret default choices:array",
  );
  const { default: initial, choices } = declared as unknown as DeclaredVariable;
  if (choices !== undefined && initial !== undefined && !choices.includes(initial)) {
    throw new TypeError(`defineServerPackage: the default of ${name} must be one of its choices.`);
  }
}

function read({ env = {}, args = [] }: Declaration, sources: PackageSources): PackageValues {
  const given = sources.env ?? process.env;
  const argv = argumentsIn(args, sources.argv ?? process.argv.slice(2));
  const problems: string[] = [];
  const valueOf = (name: string, declared: DeclaredArgument | DeclaredVariable, raw: string | undefined) => {
    // A host without a value keeps the reference of a bundle, or sets an empty string.
    const value =
      raw === undefined || raw === "" || /^\$\{user_config\.\w+\}$/.test(raw) ? declared.default : raw;
    if (value === undefined && isRequired(declared)) {
      problems.push(`${name} is missing: ${declared.description}`);
    } else if (value !== undefined && declared.choices !== undefined && !declared.choices.includes(value)) {
      problems.push(`${name} must be one of ${declared.choices.join(", ")}: ${declared.description}`);
    }
    return value;
  };
  const values = {
    env: Object.fromEntries(
      Object.entries(env).map(([name, declared]) => [name, valueOf(name, declared, given[name])]),
    ),
    args: Object.fromEntries(
      args.map((declared) => {
        const name = plainName(declared.name);
        return [name, valueOf(declared.name, declared, argv.get(name))];
      }),
    ),
  };
  if (problems.length > 0) {
    throw new ShipError("MISSING_VALUES", `The server cannot start. ${problems.join("; ")}`, {
      findings: problems.map((message) => ({ path: "", message })),
    });
  }
  return values;
}

function argumentsIn(
  args: readonly DeclaredArgument[],
  argv: readonly string[],
): ReadonlyMap<string, string> {
  const isNamed = ({ name }: DeclaredArgument): boolean => name.startsWith("--");
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      args.filter(isNamed).map(({ name }) => [plainName(name), { type: "string" }]),
    ),
    allowPositionals: true,
    strict: false,
  });
  const named = Object.entries(values).filter(
    (each): each is [string, string] => typeof each[1] === "string",
  );
  const byPosition = args
    .filter((argument) => !isNamed(argument))
    .flatMap(({ name }, index): [string, string][] => {
      const value = positionals[index];
      return value === undefined ? [] : [[name, value]];
    });
  return new Map([...named, ...byPosition]);
}
