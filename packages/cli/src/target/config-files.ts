import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Shell } from "../shell.ts";

/** A configuration file, and the program that reads it. */
export interface ConfigFile {
  readonly path: string;
  readonly owner: string;
}

/** The folder of this command line's own settings. */
export function configFolder({ env, home, platform }: Shell): string {
  const base =
    platform === "win32" ? (env["APPDATA"] ?? join(home, "AppData/Roaming")) : env["XDG_CONFIG_HOME"];
  return join(base === undefined || base === "" ? join(home, ".config") : base, "tenon");
}

/** The configuration that `tenon config add` writes. */
export function ownConfig(shell: Shell): string {
  return join(configFolder(shell), "mcp.json");
}

/** All places that hosts keep their configuration in, the project's before the user's. */
export function configPlaces(shell: Shell): readonly ConfigFile[] {
  const { cwd, env, home, platform } = shell;
  const appData = env["APPDATA"] ?? join(home, "AppData/Roaming");
  const xdg = env["XDG_CONFIG_HOME"];
  const support =
    platform === "darwin"
      ? join(home, "Library/Application Support")
      : platform === "win32"
        ? appData
        : xdg === undefined || xdg === ""
          ? join(home, ".config")
          : xdg;
  return [
    { path: join(cwd, ".mcp.json"), owner: "Claude Code (project)" },
    { path: join(cwd, "mcp.json"), owner: "project" },
    { path: join(cwd, ".vscode/mcp.json"), owner: "VS Code (project)" },
    { path: join(cwd, ".cursor/mcp.json"), owner: "Cursor (project)" },
    { path: join(cwd, ".codex/config.toml"), owner: "Codex (project)" },
    { path: join(cwd, ".gemini/settings.json"), owner: "Gemini CLI (project)" },
    { path: ownConfig(shell), owner: "tenon" },
    { path: join(home, ".claude.json"), owner: "Claude Code" },
    { path: join(support, "Claude/claude_desktop_config.json"), owner: "Claude Desktop" },
    { path: join(home, ".cursor/mcp.json"), owner: "Cursor" },
    { path: join(support, "Code/User/mcp.json"), owner: "VS Code" },
    { path: join(home, ".codeium/windsurf/mcp_config.json"), owner: "Windsurf" },
    { path: join(home, ".codex/config.toml"), owner: "Codex" },
    { path: join(home, ".gemini/settings.json"), owner: "Gemini CLI" },
    { path: join(home, ".copilot/mcp-config.json"), owner: "Copilot CLI" },
    { path: join(support, "zed/settings.json"), owner: "Zed" },
    { path: join(home, ".continue/config.yaml"), owner: "Continue" },
  ];
}

/** The configuration files that exist. */
export function configFiles(shell: Shell): readonly ConfigFile[] {
  return configPlaces(shell).filter(({ path }) => existsSync(path));
}
