import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

import { beforeAll, expect, test } from "vitest";

import { fixture, self, temporaryFolder } from "./support.ts";

const notes = fixture("notes.mjs");
/** `script` of util-linux gives a program a terminal. */
const hasScript = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");

interface Terminal {
  /** Resolves when the screen shows a text. */
  shows(text: string | RegExp): Promise<void>;
  type(text: string): void;
  /** Resolves with the exit code and everything that was shown. */
  ended(): Promise<{ readonly code: number | null; readonly screen: string }>;
}

/** Starts the command line in a real terminal. */
function terminal(...argv: readonly string[]): Terminal {
  const { CI: _, NO_COLOR: __, ...env } = process.env;
  const words = [...self, ...argv].map((word) => `'${word}'`).join(" ");
  const command = `stty cols 80 rows 24; exec ${words}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: temporaryFolder(),
    env: { ...env, TERM: "xterm", COLUMNS: "80" },
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
    },
    type: (text) => void child.stdin.write(text),
    async ended() {
      const [code] = await exit;
      child.stdin.end();
      return { code, screen };
    },
  };
}

// The sources are compiled when they are loaded, by a process that Ctrl-C ends, too. What reports
// an error is therefore compiled before.
beforeAll(async () => {
  const [command, ...args] = self;
  await once(spawn(command, [...args, "no-such-command"], { stdio: "ignore" }), "exit");
});

test.skipIf(!hasScript)("at a terminal, Ctrl-C cancels the request, and the exit code is 130", async () => {
  const { shows, type, ended } = terminal("call", notes, "wait");
  await shows("a quarter");
  type("\u0003");
  const { code, screen } = await ended();
  expect(screen).toContain("Interrupted.");
  expect(code).toBe(130);
});

test.skipIf(!hasScript)(
  "at a terminal, a missing argument is asked for, and the result has color",
  async () => {
    const { shows, type, ended } = terminal("call", notes, "add");
    await shows("name");
    type("milk\r");
    await shows(/count/);
    const { code, screen } = await ended();
    expect(code).toBe(0);
    expect(screen).toMatch(/"?count"?\S* ?\S*2/);
  },
);

test.skipIf(!hasScript)(
  "at a terminal, a form begins with its defaults, checks each field, and can be changed before it is sent",
  async () => {
    const { shows, type, ended } = terminal("call", fixture("forms.mjs"), "order");
    await shows("Answer?");
    type("\r");
    await shows(/●.{0,6} M/);
    type("\r");
    await shows("count");
    type("1");
    await shows("1█");
    type("\r");
    await shows(/at least 2/);
    type("\u007F3");
    await shows("3█");
    type("\r");
    await shows(/●.{0,6} leave it out/);
    type("\r");
    await shows(/●.{0,6} Send them/);
    await shows("Change count: 3");
    type("\u001B[B\u001B[B");
    await shows(/●.{0,6} Change count/);
    type("\r");
    await shows(/Change count: 3[^]*\?25h[^]*3█/);
    type("\u007F4");
    await shows("4█");
    type("\r");
    await shows("Change count: 4");
    type("\r");
    const { code, screen } = await ended();
    expect(screen).toContain('accept {"size":"M","count":4}');
    expect(code).toBe(0);
  },
);

test.skipIf(!hasScript)("at a terminal, the person is the model that a server asks", async () => {
  const { shows, type, ended } = terminal("call", fixture("forms.mjs"), "think");
  await shows("Say hello.");
  type("Hei!");
  await shows("Hei!█");
  type("\r");
  const { code, screen } = await ended();
  expect(screen).toContain('"text":"Hei!"');
  expect(code).toBe(0);
});
