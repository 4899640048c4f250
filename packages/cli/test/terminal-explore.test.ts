import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, expect, test } from "vitest";

import { hasScript, keys, loadProgram, programAt, terminal, type Terminal } from "./at-terminal.ts";
import { fixture, program, self, temporaryFolder } from "./support.ts";

/** Explores the server that shows a mood. */
const exploring = (mood: string, ...options: readonly string[]): Terminal =>
  terminal("explore", ...options, ...program("restless.mjs", mood));

beforeAll(loadProgram);

/** Calls `echo` with a text, from the prompt for the next step. */
async function echo({ shows, type }: Terminal, text: string): Promise<void> {
  await shows(/What next\?[^]*End/);
  type(keys.enter);
  await shows(/◆.{0,12}text/);
  type(text);
  await shows(`${text}█`);
  type(keys.enter);
}

test.skipIf(!hasScript).each([
  ["crashes", /ended with code 3/],
  ["ends", /goodbye/],
])("a server that %s in a step is started again for the next one", async (mood, shown) => {
  const at = exploring(mood);
  await echo(at, "one");
  const screen = await at.shows(
    new RegExp(`${shown.source}[^]*◆.{0,12}What next[^]*●.{0,6} Call echo[^]*End`),
  );
  expect(screen.split("The connection is closed").length).toBeLessThan(3);
  at.type(keys.escape);
  expect((await at.ended()).code).toBe(0);
});

test.skipIf(!hasScript)("a form that --elicit cannot fill in ends its step alone", async () => {
  const at = exploring("needs", "--elicit", "accept");
  await echo(at, "one");
  await at.shows(/has no value[^]*fields\.json[^]*◆.{0,12}What next/);
  at.type(keys.escape);
  expect((await at.ended()).code).toBe(0);
});

test.skipIf(!hasScript)(
  "two forms at once are shown one after the other, and a key answers one",
  async () => {
    const at = exploring("asks twice");
    await echo(at, "one");
    expect(await at.shows(/◆.{0,12}name/)).not.toContain("Delete everything?");
    await at.enter("Ada");
    await at.shows(/Delete everything\?[^]*◆.{0,12}Do you agree\?/);
    at.type(keys.down + keys.enter);
    await at.shows("form: Ada, consent: decline");
    at.type(keys.interrupt);
    await at.ended();
  },
);

test.skipIf(!hasScript)("a form that comes while a person chooses waits for the choice", async () => {
  const cwd = temporaryFolder();
  const at = terminal("explore", "--verbose", ...program("restless.mjs", "asks", cwd));
  // The first form loads code, which takes longer than a key.
  await echo(at, "one");
  await at.shows(/◆.{0,12}Do you agree\?/);
  at.type(keys.enter);
  await at.shows(/consent: accept[^]*◆.{0,12}What next\?[^]*End/);
  writeFileSync(join(cwd, "now"), "");
  await at.shows("has asked");
  at.type(keys.down);
  await at.shows(/has asked[^]*●.{0,6} End/);
  at.type(keys.up);
  const screen = await at.shows(/has asked[^]*●.{0,6} End[^]*●.{0,6} Call echo/);
  expect(screen.split("Delete everything?")).toHaveLength(2);
  at.type(keys.enter);
  await at.shows(/has asked[^]*Delete everything\?[^]*◆.{0,12}Do you agree\?/);
  at.type(keys.down);
  await at.shows(/has asked[^]*●.{0,6} Decline/);
  at.type(keys.enter);
  await at.shows("later consent: decline");
  await at.shows(/has asked[^]*◆.{0,12}text/);
  at.type(keys.escape);
  await at.shows(/has asked[^]*■.{0,12}text[^]*◆.{0,12}What next/);
  at.type(keys.escape);
  expect((await at.ended()).code).toBe(0);
});

test.skipIf(!hasScript)("Ctrl-D ends a prompt as Esc does", async () => {
  const at = exploring("calm");
  await at.shows(/What next\?[^]*End/);
  at.type(keys.end);
  expect((await at.ended()).code).toBe(0);
});

test.skipIf(!hasScript)(
  "a search finds texts that are shown, and without a match nothing is chosen",
  async () => {
    const at = exploring("odd");
    // A name of 5000 characters is cut, so that all choices can be seen.
    expect(await at.shows(/What next\?[^]*End/)).toMatch(/○\S* \S*Call n{55,72}…/);
    at.type("2");
    await at.shows("No matches found");
    at.type(keys.enter);
    await at.shows("Nothing matches. Change the search.");
    at.type(keys.interrupt);
    expect((await at.ended()).code).toBe(0);
  },
);

test.skipIf(!hasScript)("a server without anything to choose ends the exploration, with a note", async () => {
  const { code, screen } = await exploring("empty").ended();
  expect(screen).toContain("The server offers nothing.");
  expect(screen).toContain("the server lists no tools, resources or prompts.");
  expect(screen).not.toContain("What next?");
  expect(code).toBe(0);
});

test.skipIf(!hasScript)(
  "a program without resources to read is listed by a command that can be run",
  async () => {
    const at = programAt(temporaryFolder(), [...self, "read", ...program("restless.mjs", "empty")]);
    const { code, screen } = await at.ended();
    expect(screen).toContain("The server lists no resources.");
    expect(screen).toContain("tenon list <target> shows what it has");
    expect(code).toBe(1);
  },
);

test.skipIf(!hasScript)("a default is offered only if the person can see all of it", async () => {
  const at = exploring("odd");
  await at.shows(/What next\?[^]*End/);
  await at.find("hidden");
  await at.shows("its default has characters that cannot be shown");
  await at.enter("mine");
  await at.shows('called with {"text":"mine"}');
  await at.find("listed");
  await at.shows(/◆.{0,12}items/);
  at.type(keys.enter);
  await at.shows('called with {"items":["a"]}');
  at.type(keys.interrupt);
  await at.ended();
});

test.skipIf(!hasScript)(
  "optional arguments, and required ones without a schema, are prompted for",
  async () => {
    const at = exploring("odd");
    await at.shows(/What next\?[^]*End/);
    await at.find("optional");
    await at.shows(/Send them[^]*Add text/);
    at.type(keys.down);
    await at.shows(/●.{0,6} Add text/);
    at.type(keys.enter);
    await at.shows(/◆.{0,12}text \(optional\)/);
    await at.enter("more");
    await at.shows("Change text: more");
    at.type(keys.enter);
    await at.shows('called with {"text":"more"}');
    await at.find("unlisted");
    await at.shows(/◆.{0,12}x \(JSON\)/);
    await at.enter("[1]");
    await at.shows('called with {"x":[1]}');
    at.type(keys.interrupt);
    await at.ended();
  },
);

test.skipIf(!hasScript)("a number that JSON cannot represent is not sent", async () => {
  const at = exploring("odd");
  await at.shows(/What next\?[^]*End/);
  await at.find("measure");
  await at.shows(/weight \(a number\)/);
  await at.enter("1e999");
  await at.shows("Number cannot be sent exactly");
  at.type(keys.erase.repeat(3));
  await at.shows(/sent exactly[^]*1e█/);
  at.type("3\r");
  await at.shows(/mark \(exactly 1 character\)/);
  at.type("x\r");
  await at.shows("Send them");
  at.type(keys.enter);
  await at.shows('called with {"weight":1000,"mark":"x"}');
  at.type(keys.interrupt);
  await at.ended();
});

test.skipIf(!hasScript)("a file of a tool with a very long name can be saved", async () => {
  const cwd = temporaryFolder();
  const at = programAt(cwd, [...self, "explore", ...program("restless.mjs", "odd")]);
  await at.shows(/What next\?[^]*End/);
  await at.find("picture");
  await at.shows(/in this folder\?/);
  at.type("y");
  await at.shows("Saved");
  expect(readdirSync(cwd).filter((name) => name.endsWith("-1.png"))).toHaveLength(1);
  at.type(keys.interrupt);
  await at.ended();
});

test.skipIf(!hasScript)("of many servers the first ones are listed, and a note says so", async () => {
  const cwd = temporaryFolder();
  const names = Array.from({ length: 201 }, (_, index) => `server-${index}`);
  const mcpServers = Object.fromEntries(names.map((name) => [name, { command: "never-started" }]));
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers }));
  const at = programAt(cwd, [...self, "list"]);
  expect(await at.shows(/●.{0,6} server-0/)).toContain("Only 200 of 201 servers are listed.");
  at.type(keys.interrupt);
  expect((await at.ended()).code).toBe(130);
});

test.skipIf(!hasScript)("read and explore offer templates, and prompt for their variables", async () => {
  const reading = terminal("read", fixture("notes.mjs"));
  await reading.shows(/Which resource\?[^]*notes:\/\/\{name\}/);
  reading.type(keys.down);
  await reading.shows(/●.{0,6} notes:\/\/\{name\}/);
  reading.type(keys.enter);
  await reading.shows(/◆.{0,12}name/);
  await reading.enter("absent");
  expect(await reading.ended()).toMatchObject({ code: 0, screen: expect.stringContaining("None.") });

  const at = terminal("explore", fixture("notes.mjs"));
  await at.shows(/What next\?/);
  at.type("".padEnd(keys.up.length * 3, keys.up));
  await at.shows(/●.{0,6} Read notes:\/\/\{name\}/);
  at.type(keys.enter);
  await at.shows(/◆.{0,12}name/);
  await at.enter("absent");
  await at.shows(/None\.[^]*◆.{0,12}What next/);
  at.type(keys.escape);
  expect((await at.ended()).code).toBe(0);
});
