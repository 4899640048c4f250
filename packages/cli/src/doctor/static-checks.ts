import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";

import type { RemoteSpec, StdioSpec } from "@tenon/host";
import { isSocketUrl, readSocketUrl } from "@tenon/http/socket";

import { visibleLine } from "../output/escape.ts";
import type { Shell } from "../shell.ts";
import type { Findings } from "./finding.ts";

const placeholder = /^(?:<.*>|\[.*\]|your[-_ ].*|.*[-_]here|changeme|xxx+|todo|\.\.\.)$/i;

/** Installers of the programs that configurations name most often. */
const installers: Readonly<Record<string, string>> = {
  uvx: "install uv: https://docs.astral.sh/uv",
  uv: "install uv: https://docs.astral.sh/uv",
  npx: "install Node.js: https://nodejs.org",
  node: "install Node.js: https://nodejs.org",
  docker: "install Docker, and start it",
  bunx: "install Bun: https://bun.sh",
  deno: "install Deno: https://deno.com",
};

/** Checks that need no connection: the command, its arguments and its variables, or the URL. */
export function checkSpec(findings: Findings, spec: StdioSpec | RemoteSpec, shell: Shell): void {
  if (spec.type === "stdio") {
    checkCommand(findings, spec, shell);
    checkArguments(findings, spec, shell);
    checkValues(findings, "environment", spec.env ?? {}, "env");
  } else {
    checkUrl(findings, spec);
    checkValues(findings, "headers", spec.headers ?? {}, "headers");
  }
}

function checkCommand(findings: Findings, { command, cwd, env }: StdioSpec, shell: Shell): void {
  if (cwd !== undefined && !isFolder(cwd)) {
    findings.fail("command", `The working folder ${cwd} does not exist.`, "correct cwd, or leave it out");
    return;
  }
  const isPath = /[\\/]/.test(command);
  const path = isPath
    ? [resolve(cwd ?? shell.cwd, command)]
    : (env?.["PATH"] ?? shell.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, command));
  const found = path.find((each) => isExecutable(each));
  if (found !== undefined) {
    findings.ok("command", command === found ? `${command} can be executed.` : `${command} is ${found}.`);
    return;
  }
  if (shell.platform === "win32") {
    return;
  }
  const fix =
    installers[command] ??
    (/\s/.test(command) ? "put the arguments into args" : "correct the path, or add its folder to PATH");
  const where = isPath ? "does not exist or is not executable" : "is not on the PATH";
  findings.fail("command", `${JSON.stringify(command)} ${where}.`, fix);
}

/** Whether a command may download the package of its program at each start. */
export function isDownloaded({ command, args = [], cwd }: StdioSpec, shell: Shell): boolean {
  const [, runner] = /(?:^|[\\/])(npx|bunx|uvx|pipx)(?:\.cmd|\.exe)?$/.exec(command) ?? [];
  const isOffline = args.some((each) => each === "--no-install" || each === "--no" || each === "--offline");
  return runner !== undefined && !isOffline && !(runner === "npx" && isInstalled(args, cwd ?? shell.cwd));
}

/** Whether `npx` finds the program in `node_modules` of a folder or of a folder above it. */
function isInstalled(args: readonly string[], folder: string): boolean {
  const name = args.find((each) => !each.startsWith("-")) ?? "";
  for (let above = resolve(folder); /^[\w.-]+$/.test(name); above = dirname(above)) {
    if (existsSync(join(above, "node_modules/.bin", name))) {
      return true;
    }
    if (above === dirname(above)) {
      return false;
    }
  }
  return false;
}

function checkArguments(findings: Findings, spec: StdioSpec, shell: Shell): void {
  const { command, args = [], cwd } = spec;
  const isConfirmed = args.some((each) => each === "-y" || each === "--yes");
  if (/(?:^|\/)npx$/.test(command) && !isConfirmed && isDownloaded(spec, shell)) {
    findings.warn(
      "command",
      "npx without -y waits for a confirmation that no host gives.",
      "put -y before the package",
    );
  }
  const script = /(?:^|\/)(?:node|bun|python3?|deno)$/.test(command)
    ? args.find((each) => /\.(?:[cm]?[jt]s|py)$/.test(each))
    : undefined;
  if (script !== undefined) {
    const path = isAbsolute(script) ? script : resolve(cwd ?? shell.cwd, script);
    if (!existsSync(path)) {
      findings.fail(
        "command",
        `The script ${path} does not exist.`,
        "build the server, or correct the path; hosts start programs in other folders, so write absolute paths",
      );
    } else if (!isAbsolute(script) && cwd === undefined) {
      findings.note(
        "command",
        `${script} is a relative path: hosts may start the program in another folder.`,
        "write an absolute path, or set cwd",
      );
    }
  }
}

function checkValues(
  findings: Findings,
  check: string,
  values: Readonly<Record<string, string>>,
  member: string,
): void {
  const names = Object.keys(values);
  const empty = names.filter((name) => (values[name] ?? "").trim() === "");
  const example = names.filter((name) => placeholder.test((values[name] ?? "").trim()));
  for (const name of empty) {
    findings.warn(check, `${visibleLine(name)} is empty.`, `give it a value in ${member}, or remove it`);
  }
  for (const name of example) {
    findings.fail(
      check,
      `${visibleLine(name)} still has the value of an example.`,
      `put the real value into ${member}`,
    );
  }
  if (names.length > empty.length + example.length) {
    findings.ok(check, `${names.length} set: ${names.map(visibleLine).join(", ")}.`);
  }
}

function checkUrl(findings: Findings, { url }: RemoteSpec): void {
  if (!URL.canParse(url)) {
    findings.fail(
      "address",
      `${JSON.stringify(url)} is not a URL.`,
      `write it as in https://example.com/mcp`,
    );
    return;
  }
  if (isSocketUrl(url)) {
    checkSocket(findings, url);
    return;
  }
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname)) {
    findings.warn("address", `Requests to ${hostname} are not encrypted.`, "use https");
  } else {
    findings.ok("address", `${protocol}//${hostname}`);
  }
}

/** Checks the permissions of a socket. Whether a server listens is checked by connecting. */
function checkSocket(findings: Findings, url: string): void {
  const { socket, transport } = readSocketUrl(url);
  const found = transport === "pipe" ? undefined : statSync(socket, { throwIfNoEntry: false });
  if (found !== undefined && (found.mode & 0o002) !== 0) {
    findings.warn(
      "address",
      `Every user of this machine may connect to ${socket}.`,
      `restrict it: chmod 600 ${socket}`,
    );
  } else {
    findings.ok("address", socket);
  }
}

/** Whether a host name is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/i.test(hostname);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
