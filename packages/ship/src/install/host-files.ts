import { isAbsolute, join } from "node:path";

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
  /** The possible paths, the usual path first. Some hosts read all that exist. */
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
  /** The absolute path that the user has set by a variable. */
  readonly set: (variable: string) => string | undefined;
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
    user: ({ home, set }) => [join(set("CLAUDE_CONFIG_DIR") ?? home, ".claude.json")],
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
    user: ({ home, set }) => [join(set("CODEX_HOME") ?? join(home, ".codex"), "config.toml")],
  },
  gemini: {
    title: "Gemini CLI",
    project: [".gemini/settings.json"],
    user: ({ home, set }) => [join(set("GEMINI_CLI_HOME") ?? home, ".gemini/settings.json")],
  },
  copilot: {
    title: "Copilot CLI",
    project: [".github/mcp.json"],
    user: ({ home, set }) => [join(set("COPILOT_HOME") ?? join(home, ".copilot"), "mcp-config.json")],
  },
  zed: {
    title: "Zed",
    project: [".zed/settings.json"],
    user: ({ config, support, isWindows }) => [join(isWindows ? support : config, "zed/settings.json")],
  },
  continue: {
    title: "Continue",
    user: ({ home, set }) => [join(set("CONTINUE_GLOBAL_DIR") ?? join(home, ".continue"), "config.yaml")],
  },
  amp: {
    title: "Amp",
    project: [".amp/settings.json", ".amp/settings.jsonc"],
    user: ({ home, set }) => {
      const file = set("AMP_SETTINGS_FILE");
      return file === undefined
        ? ["settings.json", "settings.jsonc"].map((name) => join(home, ".config/amp", name))
        : [file];
    },
  },
  opencode: {
    title: "opencode",
    project: ["opencode.json", "opencode.jsonc"],
    user: ({ config }) => ["opencode.json", "opencode.jsonc"].map((name) => join(config, "opencode", name)),
  },
  crush: {
    title: "Crush",
    project: [".crush.json", "crush.json"],
    // Earlier versions read another folder on Windows.
    user: ({ config, local, isWindows, set }) =>
      [set("CRUSH_GLOBAL_CONFIG") ?? join(config, "crush"), ...(isWindows ? [join(local, "crush")] : [])].map(
        (folder) => join(folder, "crush.json"),
      ),
  },
  goose: {
    title: "Goose",
    user: ({ config, support, isWindows, set }) => {
      const root = set("GOOSE_PATH_ROOT");
      const usual = isWindows ? join(support, "Block/goose/config") : join(config, "goose");
      return [join(root === undefined ? usual : join(root, "config"), "config.yaml")];
    },
  },
};

/** The names of all hosts. */
export const hostNames: readonly HostName[] = Object.keys(rows) as HostName[];

/** The paths of the files of all hosts in the folder of a project. They may contain secrets. */
export const projectFiles: readonly string[] = Object.values(rows).flatMap(({ project = [] }) => project);

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
  const set = (name: string): string | undefined => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : undefined;
  };
  const config = set("XDG_CONFIG_HOME") ?? join(home, ".config");
  const isWindows = platform === "win32";
  return {
    home,
    config,
    isWindows,
    set,
    local: set("LOCALAPPDATA") ?? join(home, "AppData/Local"),
    support: isWindows
      ? (set("APPDATA") ?? join(home, "AppData/Roaming"))
      : platform === "darwin"
        ? join(home, "Library/Application Support")
        : config,
  };
}
