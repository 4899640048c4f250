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

/** A program in a terminal. */
export interface Terminal {
  /** Resolves with the screen when it shows a text. */
  shows(text: string | RegExp): Promise<string>;
  type(text: string): void;
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
  return {
    async shows(text) {
      while (!(typeof text === "string" ? screen.includes(text) : text.test(screen))) {
        await Promise.race([
          once(child.stdout, "data"),
          exit.then(() => Promise.reject(new Error(`The program ended and showed: ${screen}`))),
        ]);
      }
      return screen;
    },
    type: (text) => void child.stdin.write(text),
    async ended() {
      const [code] = await exit;
      child.stdin.end();
      return { code, screen };
    },
  };
}
