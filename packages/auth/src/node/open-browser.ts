import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { SafeAuthorizationUrl } from "../client/discover/url.ts";
import { AuthError } from "../shared/error.ts";

/** Maximum length of a URL. Authorization URLs are the longest. */
const maxUrl = 8192;
/**
 * Time after which a program that has not ended is considered to have opened the page, in
 * milliseconds: some browsers run in the foreground.
 */
const graceMs = 2000;

/**
 * Opens a page in the user's browser: a fixed program of the system with one argument, without a
 * shell. On Linux and macOS the environment variable `BROWSER` names another program. Call it
 * because the user asks for it, never because a server sent a URL.
 *
 * @param url - https, or http on this machine, without credentials.
 * @throws `AuthError` `INSECURE_URL` for any other URL; `NEEDS_USER` if there is no browser on this
 *   machine or it cannot be started.
 */
export async function openBrowser(url: string | URL | SafeAuthorizationUrl): Promise<void> {
  await startFirst(launchers(), checkUrl(typeof url === "string" ? url : url.href));
}

/**
 * Opens a page whose URL contains a secret. All users of a machine can read the arguments of each
 * other's programs, so the browser gets the URL of a file that only this user can read, and that
 * leads to the page. On Windows, where other users cannot read arguments, the file is not created.
 *
 * @param url - As of {@link openBrowser}.
 * @param path - The file to create. Its name ends with `.html`. The caller removes it.
 * @throws As {@link openBrowser}. The error of the file system if the file exists or cannot be
 *   created.
 */
export async function openBrowserByFile(url: string | URL, path: string): Promise<void> {
  const target = checkUrl(String(url));
  const programs = launchers();
  await startFirst(programs, process.platform === "win32" ? target : await writeRedirect(path, target));
}

/** Runs the programs in their order, until one of them opens the page. */
async function startFirst(programs: readonly Launcher[], page: string): Promise<void> {
  let failed: unknown;
  for (const program of programs) {
    try {
      return await start(program(page));
    } catch (error) {
      failed = error;
    }
  }
  throw failed;
}

/** Runs the program that opens a page, and waits until it has succeeded, or runs for a while. */
async function start([program = "", ...args]: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: "ignore", detached: true, windowsHide: true });
  await new Promise<void>((done, reject) => {
    const timer = setTimeout(done, graceMs);
    const fail = (cause: unknown): void => {
      clearTimeout(timer);
      reject(new AuthError("NEEDS_USER", `The browser could not be started by ${program}.`, { cause }));
    };
    child.once("error", fail);
    child.once("exit", (code) => {
      clearTimeout(timer);
      if (code === 0) {
        done();
      } else {
        fail(new Error(`${program} exited with code ${code}.`));
      }
    });
  });
  child.unref();
}

/** Creates a page that leads to a URL, and returns its own URL. No existing file is replaced. */
async function writeRedirect(path: string, target: string): Promise<string> {
  const file = await open(path, "wx", 0o600);
  try {
    // The parser has escaped all other characters with a meaning in HTML.
    const url = target.replaceAll("&", "&amp;");
    await file.writeFile(
      `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><a href="${url}">Continue</a>\n`,
    );
  } finally {
    await file.close();
  }
  return pathToFileURL(resolve(path)).href;
}

/**
 * Returns the URL as the parser writes it, in which quotes, spaces and control characters are
 * escaped.
 */
function checkUrl(value: string): string {
  const url = value.length <= maxUrl && URL.canParse(value) ? new URL(value) : undefined;
  const isLocal = url !== undefined && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  const isAllowed = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  // The parser removes tabs and line ends silently.
  if (!isAllowed || url.username !== "" || url.password !== "" || /[\p{Cc}\s"'`<>\\^{|}]/u.test(value)) {
    const what =
      url === undefined ? "a string that is not a URL" : JSON.stringify(`${url.protocol}//${url.host}`);
    throw new AuthError(
      "INSECURE_URL",
      `A page to open must have an https URL without credentials, or http on this machine; got ${what}.`,
    );
  }
  return url.href;
}

/** Returns a program and its arguments, which open a page. */
type Launcher = (page: string) => readonly string[];

/**
 * Returns the programs that may open a page, at least one.
 *
 * @throws `AuthError` `NEEDS_USER` if the user's browser is not on this machine.
 */
function launchers(): readonly Launcher[] {
  const { platform, env } = process;
  if (platform === "win32") {
    const program = `${env["SystemRoot"] ?? "C:\\Windows"}\\System32\\rundll32.exe`;
    return [(page) => [program, "url.dll,FileProtocolHandler", page]];
  }
  const chosen = chosenBrowsers(env["BROWSER"] ?? "");
  if (chosen.length > 0) {
    return chosen;
  }
  const isRemote = env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined;
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== "";
  const hasDisplay = platform === "darwin" || isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
  if (isRemote || !hasDisplay) {
    const why = isRemote ? "a remote session" : "no display";
    throw new AuthError("NEEDS_USER", `No browser can be opened here (${why}).`);
  }
  return [(page) => [platform === "darwin" ? "/usr/bin/open" : "xdg-open", page]];
}

/**
 * The commands of the variable `BROWSER`, between colons. `%s` is the place of the page, which is
 * the last argument by default. Quotes and a last `&` are read as Python reads them. Editors set
 * the variable in remote sessions, to a program that opens the browser of the user's machine.
 */
function chosenBrowsers(value: string): readonly Launcher[] {
  return value
    .split(":")
    .map((command) => wordsOf(command.trim()))
    .filter(([program = ""]) => program !== "")
    .map((words) => (page) => {
      const isPlaced = words.some((word) => word.includes("%s"));
      return isPlaced ? words.map((word) => word.replaceAll("%s", () => page)) : [...words, page];
    });
}

/** The words of a command. The path of a file is one word, even if it contains spaces. */
function wordsOf(command: string): readonly string[] {
  if (existsSync(command)) {
    return [command];
  }
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"']+)+/g) ?? [];
  const plain = words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
  return plain.at(-1) === "&" ? plain.slice(0, -1) : plain;
}
