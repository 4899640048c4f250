import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, expect, test } from "vitest";

import { hasScript, homeAt, keys, loadProgram, programAt, terminal } from "./at-terminal.ts";
import { protectedServer } from "./protected-server.ts";
import { fixture, self, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.mjs");
const fish = "fish";
const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

/** A folder with a configured server and its lock file, and the words that start the program. */
async function configured(): Promise<{ readonly cwd: string; readonly loads: string }> {
  const cwd = temporaryFolder();
  const mcpServers = { notes: { command: "never-started" } };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers }));
  expect((await tenon(["lock", notes], { cwd })).code).toBe(0);
  return { cwd, loads: self.map((word) => `'${word}'`).join(" ") };
}

beforeAll(loadProgram);

test.skipIf(!hasScript)("at a terminal, Ctrl-C cancels the request, and the exit code is 130", async () => {
  const { shows, type, ended } = terminal("call", notes, "wait");
  await shows("a quarter");
  type(keys.interrupt);
  const { code, screen } = await ended();
  expect(screen).toContain("Interrupted.");
  expect(code).toBe(130);
});

test.skipIf(!hasScript)(
  "at a terminal, a missing argument is asked for, an optional one is offered, and the result has color",
  async () => {
    const { shows, type, enter, ended } = terminal("call", notes, "add");
    await shows("name");
    type("milk\r");
    await shows("Add text");
    type(keys.down.repeat(2));
    await shows(/●.{0,6} Add text/);
    type(keys.enter);
    await shows("text (optional)");
    await enter("fresh");
    await shows("Change text: fresh");
    type(keys.enter);
    await shows(/count/);
    const { code, screen } = await ended();
    expect(code).toBe(0);
    expect(screen).toMatch(/"?count"?\S* ?\S*2/);
  },
);

test.skipIf(!hasScript)(
  "at a terminal, a call without a tool lists the tools, and then asks for the arguments",
  async () => {
    const { shows, type, ended } = terminal("call", notes);
    await shows("Which tool?");
    await shows(/●.{0,6} add/);
    type(keys.enter);
    await shows("The name");
    type("milk\r");
    await shows("Add text");
    type(keys.enter);
    const { code, screen } = await ended();
    expect(screen).toMatch(/count.*2/);
    expect(code).toBe(0);
  },
);

test.skipIf(!hasScript)(
  "at a terminal, a form begins with its defaults, checks each field, and can be changed before it is sent",
  async () => {
    const { shows, type, enter, ended } = terminal("call", fixture("forms.mjs"), "order");
    expect(await shows(/●.{0,6} M/)).toMatch(/- size[^]*- How many[^]*- color \(optional\)[^]*Esc/);
    type(keys.enter);
    await shows(/◆.{0,12}How many \(a whole number, at least 2\)/);
    await enter("1");
    await shows(/at least 2/);
    type(`${keys.erase}3`);
    await shows("3█");
    type(keys.enter);
    await shows(/●.{0,6} leave it out/);
    type(keys.enter);
    await shows(/●.{0,6} Send them/);
    await shows("Change How many: 3");
    type(keys.down.repeat(2));
    await shows(/●.{0,6} Change How many/);
    type(keys.enter);
    await shows(/Change How many: 3[^]*\?25h[^]*3█/);
    type(`${keys.erase}4`);
    await shows("4█");
    type(keys.enter);
    await shows("Change How many: 4");
    type(keys.enter);
    const { code, screen } = await ended();
    // No empty lines are between the last answer and the result.
    expect(screen).toMatch(/Send them[^\r\n]*\r\n\S*accept \{"size":"M","count":4\}/);
    expect(code).toBe(0);
  },
);

test.skipIf(!hasScript)(
  "a person who stops at a form can go on with it, decline it, or cancel it",
  async () => {
    const { shows, type, ended } = terminal("call", fixture("forms.mjs"), "order");
    await shows(/●.{0,6} M/);
    type(keys.enter);
    await shows(/◆.{0,12}How many/);
    type("3\r");
    await shows(/◆.{0,12}color/);
    type(keys.escape);
    await shows("Fill in the form?");
    type(keys.enter);
    await shows(/Fill in the form\?[^]*◆.{0,12}color/);
    type(keys.enter);
    await shows("Change How many: 3");
    type(keys.escape);
    await shows(/Change How many: 3[^]*◆.{0,12}Fill in the form\?/);
    type(keys.down + keys.enter);
    expect((await ended()).screen).toContain("decline undefined");
  },
);

test.skipIf(!hasScript)("a form without fields asks for consent alone", async () => {
  const { shows, type, ended } = terminal("call", fixture("forms.mjs"), "consent");
  expect(await shows(/◆.{0,12}Do you agree\?/)).toContain("Delete everything?");
  type(keys.enter);
  const { screen } = await ended();
  expect(screen).toMatch(/accept\s/);
});

test.skipIf(!hasScript)("at a terminal, a picture can be saved after the call", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "picture-1.png"), "of an earlier call");
  const { shows, type, ended } = programAt(cwd, [...self, "call", fixture("forms.mjs"), "picture"]);
  await shows(/Save picture-2\.png in this folder\? \(y or n, Enter: yes\)/);
  type("y");
  const { code, screen } = await ended();
  expect(screen).toContain(`Saved ${join(cwd, "picture-2.png")}`);
  expect(readFileSync(join(cwd, "picture-2.png"))).toHaveLength(8);
  expect(code).toBe(0);
});

test.skipIf(!hasScript)(
  "at a terminal, a target alone is listed, and what the person chooses is done, until the person ends it",
  async () => {
    const { shows, type, find, ended } = terminal(notes);
    expect(await shows(/Tools[^]*What next\?[^]*End/)).toMatch(
      /Call add[^]*Read notes:\/\/one[^]*Fill in summary/,
    );
    await find("notes:");
    await shows(/The first note\.[^]*What next\?[^]*End/);
    type(keys.enter);
    await shows("The name");
    type("milk\r");
    await shows("Add text");
    type(keys.enter);
    await shows(/"count": 2[^]*What next\?[^]*End/);
    type(keys.enter);
    // The name of the last note is offered.
    await shows(/"count": 2[^]*◆.{0,12}name: The name[^]*milk█/);
    type(keys.escape);
    await shows(/■[^]*◆.{0,12}What next\?[^]*End/);
    type(keys.escape);
    expect((await ended()).code).toBe(0);
  },
);

test.skipIf(!hasScript)("a tool with optional arguments alone offers them", async () => {
  const { shows, type, ended } = terminal(fixture("forms.mjs"));
  await shows(/What next\?[^]*End/);
  type(keys.up.repeat(2));
  await shows(/●.{0,6} Call think/);
  type(keys.up);
  await shows(/●.{0,6} Call send/);
  type(keys.enter);
  await shows(/These values\?[^]*Add street[^]*Add fast/);
  type(keys.enter);
  expect(await shows(/Send them[^]*What next\?/)).toMatch(/\{\}/);
  type(keys.escape);
  expect((await ended()).code).toBe(0);
});

test.skipIf(!hasScript)("an error of a step is printed, and the person chooses again", async () => {
  const { shows, type, ended } = terminal(fixture("forms.mjs"));
  await shows(/What next\?[^]*End/);
  type(keys.down);
  await shows(/●.{0,6} Call order/);
  type(keys.enter);
  await shows(/●.{0,6} M/);
  type(keys.escape);
  await shows("Fill in the form?");
  type(keys.down + keys.enter);
  await shows(/decline undefined[^]*What next\?[^]*End/);
  type(keys.up + keys.enter);
  const { code, screen } = await ended();
  expect(screen).toContain("End");
  expect(code).toBe(0);
});

test.skipIf(!hasScript)(
  "at a terminal, a command without a target lists the servers that the user has",
  async () => {
    const cwd = temporaryFolder();
    const [command, ...args] = [...self, "serve", notes];
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { first: { command, args } } }));
    const { shows, type, ended } = programAt(cwd, [...self, "call"]);
    await shows(/Which server\?[^]*●.{0,6} first/);
    type(keys.enter);
    await shows(/Which tool\?[^]*●.{0,6} add/);
    type(keys.interrupt);
    const { code, screen } = await ended();
    expect(screen).toContain("Interrupted.");
    expect(code).toBe(130);
  },
);

test.skipIf(!hasScript)(
  "at a terminal, tenon read without operands lists the servers and then the resources",
  async () => {
    const cwd = temporaryFolder();
    const [command, ...args] = [...self, "serve", notes];
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { first: { command, args } } }));
    const { shows, type, ended } = programAt(cwd, [...self, "read"]);
    await shows(/Which server\?[^]*●.{0,6} first/);
    type(keys.enter);
    await shows(/Which resource\?[^]*●.{0,6} notes:\/\/one \S*\(one\)/);
    type(keys.enter);
    const { code, screen } = await ended();
    expect(screen).toContain("The first note.");
    expect(code).toBe(0);
  },
);

test.skipIf(!hasScript)(
  "at a terminal, tenon prompt without a prompt lists the prompts, and asks for the arguments",
  async () => {
    const { shows, type, enter, ended } = terminal("prompt", notes);
    await shows(/Which prompt\?[^]*●.{0,6} summary/);
    type(keys.enter);
    await shows(/◆.{0,12}name/);
    await enter("one");
    const { code, screen } = await ended();
    expect(screen).toContain("Summarize the note one.");
    expect(code).toBe(0);
  },
);

test.skipIf(!hasScript).each([
  ["that cannot move its cursor", "stty cols 80", "dumb"],
  ["of 10 columns", "stty cols 10", "xterm"],
])("at a terminal %s, no prompt is shown, and the error names what is missing", async (_, size, TERM) => {
  const command = `${size}; exec ${self.join(" ")} call ${notes}`;
  const { code, screen } = await programAt(temporaryFolder(), ["sh", "-c", command], { TERM }).ended();
  expect(screen.replaceAll(/\s+/g, " ")).toContain("tenon call needs <tool>.");
  expect(code).toBe(2);
});

test.skipIf(!hasScript)("a terminal that does not know its size is treated as 80 columns wide", async () => {
  const command = `stty cols 0; exec ${self.join(" ")} help call`;
  const { screen } = await programAt(temporaryFolder(), ["sh", "-c", command]).ended();
  expect(screen).toMatch(/--raw {2,}write text and bytes unchanged, without labels, to a/);
});

test.skipIf(!hasScript)("at a terminal, who has no servers reads what the command needs", async () => {
  const { code, screen } = await terminal("list").ended();
  expect(screen).toContain("tenon list needs <target>, or a program after --.");
  expect(code).toBe(2);
});

test.skipIf(!hasScript)("at a terminal, the person is the model that a server asks", async () => {
  const { shows, enter, ended } = terminal("call", fixture("forms.mjs"), "think");
  await shows("Say hello.");
  await enter("Hei!");
  const { code, screen } = await ended();
  expect(screen).toContain('"text":"Hei!"');
  expect(code).toBe(0);
});

test.skipIf(!hasScript)("at a terminal, a login names its page, and says when it is done", async () => {
  const { shows, ended } = terminal("login", await protectedServer(), "--no-browser");
  const page = /http:[\w:/.]+\/authorize\?[\w.&=%+~:/-]+(?=[^\w.&=%+~:/-])/;
  const [url = ""] = page.exec(await shows(page)) ?? [];
  await fetch(url);
  const { code, screen: last } = await ended();
  expect(last).toContain("Logged in at");
  expect(code).toBe(0);
});

test.skipIf(!hasScript || !has("zsh"))(
  "zsh completes commands, configured servers and arguments of a tool (skipped without zsh)",
  async () => {
    const { cwd, loads } = await configured();
    const { shows, type, ended } = programAt(cwd, ["zsh", "-f", "-i"]);
    type(`tenon() { ${loads} "$@"; }; autoload -U compinit && compinit -D\r`);
    type(`eval "$(tenon completion zsh)"; print rea''dy\r`);
    await shows("ready");
    for (const [typed, completed] of [
      ["tenon doct", "tenon doctor"],
      ["tenon call not", "tenon call notes"],
      ["tenon call notes add tex", "tenon call notes add text="],
    ] as const) {
      type(`${typed}\t`);
      await shows(completed);
      type("\u0015");
    }
    type("exit\r");
    expect((await ended()).screen).not.toContain("unrecognized");
  },
);

test.skipIf(!has(fish))(
  "fish completes commands, configured servers and arguments of a tool (skipped without fish)",
  async () => {
    const { cwd, loads } = await configured();
    const asked = ["tenon doct", "tenon call not", "tenon call notes add tex"];
    const lines = asked.map((line) => `complete -C "${line}"`).join("; ");
    const script = `function tenon; ${loads} $argv; end; tenon completion fish | source; ${lines}`;
    const { stdout } = spawnSync(fish, ["--no-config", "-c", script], {
      cwd,
      encoding: "utf8",
      env: { ...process.env, ...homeAt(cwd) },
    });
    expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual(["doctor", "notes", "text=", ""]);
  },
);
