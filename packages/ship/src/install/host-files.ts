import { join } from "node:path";

/** The user and the machine whose configuration files are meant. */
export interface Place {
  /** The folder of the project. */
  readonly cwd: string;
  /** The home directory of the user. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A configuration file of a host. */
export interface HostFile {
  readonly host: HostName;
  /** The name of the host for people. */
  readonly title: string;
  /** Whether the file belongs to the project or to the user. */
  readonly scope: "project" | "user";
  /**
   * The possible paths, the usual path first. The host reads the first that exists.
   */
  readonly paths: readonly string[];
}

interface Row {
  readonly title: string;
  /** Paths in the folder of the project. */
  readonly project?: readonly string[];
  readonly user: (folders: Folders) => readonly string[];
}

interface Folders {
  readonly home: string;
  /** The folder of programs for their settings, which differs between platforms. */
  readonly support: string;
  /** `~/.config`, or the folder that the user has set for it. */
  readonly config: string;
  readonly local: string;
  readonly isWindows: boolean;
}

/** The name of a host on the command line. */
export type HostName =
  | "claude-code"
  | "claude-desktop"
  | "cursor"
  | "vscode"
  | "windsurf"
  | "codex"
  | "gemini"
  | "copilot"
  | "zed"
  | "continue"
  | "amp"
  | "opencode"
  | "crush"
  | "goose";

const rows: Readonly<Record<HostName, Row>> = {
  "claude-code": {
    title: "Claude Code",
    project: [".mcp.json"],
    user: ({ home }) => [join(home, ".claude.json")],
  },
  "claude-desktop": {
    title: "Claude Desktop",
    user: ({ support }) => [join(support, "Claude/claude_desktop_config.json")],
  },
  cursor: {
    title: "Cursor",
    project: [".cursor/mcp.json"],
    user: ({ home }) => [join(home, ".cursor/mcp.json")],
  },
  vscode: {
    title: "VS Code",
    project: [".vscode/mcp.json"],
    user: ({ support }) => [join(support, "Code/User/mcp.json")],
  },
  windsurf: { title: "Windsurf", user: ({ home }) => [join(home, ".codeium/windsurf/mcp_config.json")] },
  codex: {
    title: "Codex",
    project: [".codex/config.toml"],
    user: ({ home }) => [join(home, ".codex/config.toml")],
  },
  gemini: {
    title: "Gemini CLI",
    project: [".gemini/settings.json"],
    user: ({ home }) => [join(home, ".gemini/settings.json")],
  },
  copilot: { title: "Copilot CLI", user: ({ home }) => [join(home, ".copilot/mcp-config.json")] },
  zed: {
    title: "Zed",
    project: [".zed/settings.json"],
    user: ({ config, support, isWindows }) => [join(isWindows ? support : config, "zed/settings.json")],
  },
  continue: { title: "Continue", user: ({ home }) => [join(home, ".continue/config.yaml")] },
  amp: { title: "Amp", user: ({ home }) => [join(home, ".config/amp/settings.json")] },
  opencode: {
    title: "opencode",
    project: ["opencode.json", "opencode.jsonc"],
    user: ({ config }) => ["opencode.json", "opencode.jsonc"].map((name) => join(config, "opencode", name)),
  },
  crush: {
    title: "Crush",
    project: [".crush.json", "crush.json"],
    user: ({ config, local, isWindows }) => [join(isWindows ? local : config, "crush/crush.json")],
  },
  goose: {
    title: "Goose",
    user: ({ config, support, isWindows }) => [
      isWindows ? join(support, "Block/goose/config/config.yaml") : join(config, "goose/config.yaml"),
    ],
  },
};

/** The names of all hosts. */
export const hostNames: readonly HostName[] = Object.keys(rows) as HostName[];

/** The configuration files of all hosts, of the project before the user's. */
export function hostFiles(place: Place): readonly HostFile[] {
  const folders = foldersOf(place);
  const each = hostNames.map((host): readonly [HostName, Row] => [host, rows[host]]);
  const project = each.flatMap(([host, { title, project: names = [] }]): readonly HostFile[] =>
    names.length === 0
      ? []
      : [{ host, title, scope: "project", paths: names.map((name) => join(place.cwd, name)) }],
  );
  const user = each.map(([host, row]): HostFile => ({
    host,
    title: row.title,
    scope: "user",
    paths: row.user(folders),
  }));
  return [...project, ...user];
}

function foldersOf({ home, platform, env }: Place): Folders {
  const set = (name: string): string | undefined => (env[name] === "" ? undefined : env[name]);
  const config = set("XDG_CONFIG_HOME") ?? join(home, ".config");
  const isWindows = platform === "win32";
  return {
    home,
    config,
    isWindows,
    local: set("LOCALAPPDATA") ?? join(home, "AppData/Local"),
    support: isWindows
      ? (set("APPDATA") ?? join(home, "AppData/Roaming"))
      : platform === "darwin"
        ? join(home, "Library/Application Support")
        : config,
  };
}
