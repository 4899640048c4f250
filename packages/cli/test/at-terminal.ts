import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { self, temporaryFolder } from "./support.ts";

/** Whether this machine has `script` of util-linux, which gives a program a terminal. */
export const hasScript = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");

/** The files of the person of this machine are neither read nor changed. */
export const homeAt = (cwd: string): Record<string, string> => ({
  HOME: cwd,
  XDG_CONFIG_HOME: join(cwd, "config"),
  XDG_DATA_HOME: join(cwd, "data"),
  XDG_RUNTIME_DIR: cwd,
});

/** Starts the program once. Loading takes long at the first time, and Ctrl-C would end it. */
export async function loadProgram(): Promise<void> {
  const [command, ...args] = self;
  await once(spawn(command, [...args, "no-such-command"], { stdio: "ignore" }), "exit");
}

/** What the keys of a terminal send. `end` is Ctrl-D. */
export const keys = {
  down: "\u001B[B",
  end: "\u0004",
  enter: "\r",
  erase: "\u007F",
  escape: "\u001B",
  interrupt: "\u0003",
  up: "\u001B[A",
} as const;

/** A program in a terminal. */
export interface Terminal {
  /** Resolves with the screen when it shows a text. */
  shows(text: string | RegExp): Promise<string>;
  type(text: string): void;
  /** Types a value into a prompt, and confirms it when the prompt shows it. */
  enter(value: string): Promise<void>;
  /** Searches the choices of a prompt, and confirms when the current choice has the text. */
  find(text: string): Promise<void>;
  /** Resolves with the exit code and everything that was shown. */
  ended(): Promise<{ readonly code: number | null; readonly screen: string }>;
}

/** Starts the command line in a real terminal. */
export function terminal(...argv: readonly string[]): Terminal {
  return programAt(temporaryFolder(), [...self, ...argv]);
}

/** Variables of the session in which the tests run. */
const ofSession: ReadonlySet<string> = new Set(
  "CI NO_COLOR BROWSER DISPLAY WAYLAND_DISPLAY SSH_CONNECTION SSH_TTY".split(" "),
);

/** Starts a program in a real terminal. @param more - Variables. There is no display by default. */
export function programAt(
  cwd: string,
  argv: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Terminal {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofSession.has(name)));
  const words = argv.map((word) => `'${word}'`).join(" ");
  const command = `stty cols 80 rows 24; exec ${words}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: { ...env, ...homeAt(cwd), TERM: "xterm", COLUMNS: "80", ...more },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  const exit = once(child, "exit") as Promise<[number | null]>;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
  });
  const type = (text: string): void => void child.stdin.write(text);
  const shows = async (text: string | RegExp, from = 0): Promise<string> => {
    const isShown = (shown: string): boolean =>
      typeof text === "string" ? shown.includes(text) : text.test(shown);
    while (!isShown(screen.slice(from))) {
      await Promise.race([
        once(child.stdout, "data"),
        exit.then(() => Promise.reject(new Error(`The program ended and showed: ${screen}`))),
      ]);
    }
    return screen;
  };
  /** Types a text, and confirms it when the screen shows something that was not shown before. */
  const confirm = async (text: string, shown: string | RegExp): Promise<void> => {
    const from = screen.length;
    type(text);
    await shows(shown, from);
    type(keys.enter);
  };
  return {
    shows: async (text) => shows(text),
    type,
    enter: async (value) => confirm(value, `${value}█`),
    find: async (text) =>
      confirm(text, new RegExp(`●.{0,6} [^\\r\\n]*${text.replaceAll(/[^\w ]/g, "\\$&")}`)),
    async ended() {
      const [code] = await exit;
      child.stdin.end();
      return { code, screen };
    },
  };
}
