/** The package managers that a project can have. The first manager is the default. */
export const managers: readonly string[] = ["npm", "pnpm", "yarn", "bun"];

/** The commands of a package manager in a project, its workflow and its image. */
export interface Manager {
  readonly name: string;
  /** The package of the manager, where Node does not have it. */
  readonly program: string | undefined;
  /** The files that an installation reads. */
  readonly inputs: string;
  /** Installs exactly what the lock file has. */
  readonly install: string;
  /** Removes packages that only the build needs. */
  readonly prune: string;
  readonly test: string;
  readonly start: string;
  /** Runs a program of a package that the project has. */
  readonly exec: string;
  readonly addForDevelopment: string;
  /** Whether `actions/setup-node` keeps the downloads of this manager. */
  readonly isCached: boolean;
  /** The configuration of the manager, by the name of the file. */
  readonly files: Readonly<Record<string, string>>;
  /** A pattern for `.gitignore`. */
  readonly ignored: string | undefined;
}

type Rules = Omit<Manager, "name" | "program">;

const npm: Rules = {
  inputs: "package*.json",
  install: "npm ci",
  prune: "npm prune --omit=dev",
  test: "npm test",
  start: "npm start --",
  exec: "npx",
  addForDevelopment: "npm install --save-dev",
  isCached: true,
  files: {},
  ignored: undefined,
};

const pnpm: Rules = {
  inputs: "package.json pnpm-lock.yaml pnpm-workspace.yaml",
  install: "pnpm install --frozen-lockfile",
  prune: "pnpm prune --prod",
  test: "pnpm test",
  start: "pnpm start",
  exec: "pnpm exec",
  addForDevelopment: "pnpm add --save-dev",
  isCached: true,
  // Without this setting, an installation fails. The script of esbuild is not needed.
  files: { "pnpm-workspace.yaml": "allowBuilds:\n  esbuild: false\n" },
  ignored: undefined,
};

/** Versions before 11 need no decision. Versions before 10.5 refuse a file without packages. */
const oldPnpm: Rules = { ...pnpm, inputs: "package.json pnpm-lock.yaml", files: {} };

const yarnClassic: Rules = {
  inputs: "package.json yarn.lock",
  install: "yarn install --frozen-lockfile",
  // Yarn 1 has no other command for it.
  prune: "yarn install --frozen-lockfile --production",
  test: "yarn test",
  start: "yarn start",
  exec: "yarn run",
  addForDevelopment: "yarn add --dev",
  isCached: true,
  files: {},
  ignored: undefined,
};

const yarnBerry: Rules = {
  ...yarnClassic,
  inputs: "package.json yarn.lock .yarnrc.yml",
  install: "yarn install --immutable",
  prune: "yarn workspaces focus --production",
  // Without a folder of packages, programs would start only with the loader of Yarn.
  files: { ".yarnrc.yml": "nodeLinker: node-modules\n" },
  ignored: ".yarn",
};

const bun: Rules = {
  inputs: "package.json bun.lock",
  install: "bun install --frozen-lockfile",
  // Bun removes no packages.
  prune: "rm -rf node_modules && bun install --frozen-lockfile --production",
  test: "bun run test",
  start: "bun run start",
  exec: "bun run",
  addForDevelopment: "bun add --dev",
  isCached: false,
  files: {},
  ignored: undefined,
};

/**
 * Returns a package manager.
 *
 * @param agent - `npm_config_user_agent`, such as `pnpm/10.0.0 npm/? node/v22.0.0 linux x64`. The
 *   workflow and the image have the same major version.
 * @param name - One of {@link managers}. By default it is in `agent`, or else it is npm.
 */
export function managerOf(agent: string | undefined, name?: string): Manager {
  const [, running = "", major] = /^(\w+)\/(\d+)\./.exec(agent ?? "") ?? [];
  const chosen = name ?? (managers.includes(running) ? running : "npm");
  const version = running === chosen ? major : undefined;
  const latest = version === undefined ? "" : `@${version}`;
  switch (chosen) {
    case "pnpm":
      return { name: chosen, program: `pnpm${latest}`, ...(Number(version ?? 11) < 11 ? oldPnpm : pnpm) };
    case "yarn":
      return Number(version ?? 1) === 1
        ? { name: chosen, program: "yarn@1", ...yarnClassic }
        : { name: chosen, program: `@yarnpkg/cli-dist${latest}`, ...yarnBerry };
    case "bun":
      return { name: chosen, program: `bun${latest}`, ...bun };
    default:
      return { name: "npm", program: undefined, ...npm };
  }
}

/** The values of the places in a template that depend on the manager. */
export function placesOf(manager: Manager): Readonly<Record<string, string>> {
  const { name, program, inputs, install, prune, test, isCached, ignored = "" } = manager;
  // Machines and images may have the first Yarn, which --force replaces.
  const force = name === "yarn" ? "--force " : "";
  const added = program === undefined ? "" : `npm install --global ${force}${program}`;
  return {
    inputs,
    install,
    prune,
    test,
    ignored,
    run: `${name} run`,
    cache: isCached ? `          cache: ${name}` : "",
    stepOfManager: added === "" ? "" : `      - run: ${added}`,
    installManager: added === "" ? "" : `${added} && `,
  };
}

/** Replaces the commands of npm in a file by the commands of a manager. */
export function withCommandsOf(
  { name, test, start, exec, addForDevelopment }: Manager,
  text: string,
): string {
  return name === "npm"
    ? text
    : text
        .replaceAll(/\bnpm install --save-dev\b/g, addForDevelopment)
        .replaceAll(/\bnpm (install|run)\b/g, `${name} $1`)
        .replaceAll(/\bnpm test\b/g, test)
        .replaceAll(/\bnpm start\b(?: --(?= ))?/g, start)
        .replaceAll(/\bnpx tenon\b/g, `${exec} tenon`);
}
