import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, json, program, self, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.mjs");

test("arguments are texts, JSON, objects and standard input, and later ones win", async () => {
  const { stdout } = await tenon(["call", notes, "echo", "a=1", "b:=2", '{"c": [3], "b": 4}', "-"], {
    stdin: '{"d": null, "a": "five"}',
  });
  expect(JSON.parse(stdout)).toEqual({ a: "five", b: 4, c: [3], d: null });
});

test("--max-message-bytes is the limit of a response, which the error names", async () => {
  const call = (count: string) =>
    tenon([
      ...["call", "echo", "name=BIG", "--env", `BIG=${"x".repeat(3000)}`, "--max-message-bytes", count],
      ...program("loud.mjs"),
    ]);
  const [refused, accepted] = await Promise.all([call("1000"), call("4000")]);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain("exceeds the limit of 1000.");
  expect(refused.stderr).toContain("try: accept more with --max-message-bytes <count>");
  expect(accepted).toMatchObject({ code: 0, stdout: `${"x".repeat(3000)}\n` });
});

test("a text becomes a number where the schema allows no text", async () => {
  const result = await json(["call", notes, "add", "name=12", "text=ab", "times=2", 'tags=["x"]']);
  expect(result).toMatchObject({ structuredContent: { count: 2 } });
});

test.each([
  ["nothing", '"nothing" is not an argument'],
  ["a:={", "a:= takes JSON"],
  ["[1]", "is not an argument"],
  ["{1}", "the argument cannot be read as JSON"],
  ["a:=1e999", 'a:= takes JSON; got "1e999". Number cannot be sent exactly'],
  ['{"a": [-1e999]}', "Number cannot be sent exactly"],
  ["a:=[-9007199254740993]", "put the number in quotes."],
])("the argument %s is refused before anything is sent", async (argument, message) => {
  const { code, stderr } = await tenon(["call", notes, "echo", argument]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test.each(["1e999", "9007199254740993"])("the number %s of a schema is refused", async (number) => {
  const { code, stderr } = await tenon(["call", notes, "add", "name=x", `times=${number}`]);
  expect(stderr).toBe(
    `error: ${number}: Number cannot be sent exactly: JavaScript would round it. If the server accepts a string, put the number in quotes.\n`,
  );
  expect(code).toBe(2);
});

test("large numbers that are sent as they are written are not refused", async () => {
  const large =
    '{"a":[9007199254740992,-1e+25,0.1],"b":"12345678901234567","c":"9007199254740993 \\"9007199254740993"}';
  expect((await tenon(["call", notes, "echo", large])).stdout).toBe(`${large}\n`);
});

test("a missing required argument is named, and nobody is asked without a terminal", async () => {
  const { code, stderr } = await tenon(["call", notes, "add", "text=x"]);
  expect(code).toBe(2);
  expect(stderr).toContain(
    "The tool add(name: string, text?: string, times?: integer, tags?: string[]) needs name.",
  );
  expect(stderr).toContain("try: name=…");
});

test.each([
  ["nmae=Oslo", "It has no argument nmae.", "try: name=Oslo\n"],
  ["town=Oslo", "It has no argument town.", "try: name=Oslo\n"],
])("%s is named if the tool needs another argument", async (given, message, hint) => {
  const { code, stderr } = await tenon(["call", notes, "add", given]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).toContain(hint);
});

test.each([
  [["--street", "Elm Street"], { street: "Elm Street" }],
  [["--count=-2", "--fast", "--street="], { count: -2, fast: true, street: "" }],
  [["--fast", "false", "--count", "-2", "street=x"], { fast: false, count: -2, street: "x" }],
])("arguments of a tool may be given as the options %j", async (options, args) => {
  expect(JSON.parse((await tenon(["call", fixture("forms.mjs"), "send", ...options])).stdout)).toEqual(args);
});

test.each([
  ["echo", ["--city", "Oslo"], "--city", "city=Oslo"],
  ["echo", ["--city=New York"], "--city", 'city="New York"'],
  ["echo", ["--city", "--json"], "--city", "city=…"],
  ["add", ["--nmae", "oat milk"], "--nmae", 'name="oat milk"'],
  [
    "add",
    ["--city", "Oslo"],
    "--city",
    "the arguments are name, text, times, tags; options: tenon call --help",
  ],
])("the tool %s has no argument for the options %j", async (tool, options, option, advice) => {
  const ran = await tenon(["call", notes, tool, ...options]);
  expect(ran.code).toBe(2);
  const printed = ran.stderr === "" ? JSON.parse(ran.stdout).error.hint : ran.stderr;
  expect(`${ran.stdout}${ran.stderr}`).toContain(`unknown option '${option}'`);
  expect(printed).toContain(advice);
});

test("an option that is no value of an argument is not taken as the value", async () => {
  const { code, stderr } = await tenon(["call", notes, "add", "--name", "--text", "x"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--name needs a value.");
});

test("a tool that follows its program is missing before --", async () => {
  const { code, stderr } = await tenon(["call", "--", "node", "server.js", "search", "query=m"]);
  expect(code).toBe(2);
  expect(stderr).toContain("tenon call needs <tool> before --.");
  expect(stderr).toContain("try: tenon call <tool> [arguments...] [options] -- <program>\n");
  const { stderr: without } = await tenon(["call", notes]);
  expect(without).toContain("tenon call needs <tool>.\ntry: tenon list <target> shows the tools\n");
});

test("a build service has no person to ask, even with a terminal", async () => {
  const { code } = await tenon(["call", notes, "add"], { isTTY: true, env: { CI: "true" } });
  expect(code).toBe(2);
});

test("an error of the tool is exit code 1, with the result on standard output", async () => {
  const failed = await tenon(["call", notes, "add", "name=one"]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toBe("There is a note one.\n");
  const asJson = await tenon(["call", notes, "add", "name=one", "--json"]);
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ isError: true, content: [{ type: "text" }] });
  expect(asJson.stderr).toBe("");
});

test("an unknown tool is exit code 5, with the code of the server and the nearest name", async () => {
  const { code, stdout } = await tenon(["call", notes, "ech", "--json"]);
  expect(code).toBe(5);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { kind: "protocol", hint: 'the server has a tool "echo"' },
  });
});

test("an unknown tool of a program is answered by advice that can be run", async () => {
  const { code, stderr } = await tenon(["call", "nothing-like-it", "--", ...self, "serve", notes]);
  expect(stderr).toContain("try: tenon tools <target> lists the tools\n");
  expect(code).toBe(5);
});

test("escapes of a server are shown and not executed, and mean the same in JSON", async () => {
  const { stdout } = await tenon(["call", notes, "escape"], { isTTY: true });
  expect(stdout).toBe("\\x1b[2Jcleared\\x07 \\u202etxt.exe \\x9b31m\n");
  const asJson = await tenon(["call", notes, "escape", "--json"]);
  // eslint-disable-next-line no-control-regex -- what a terminal obeys
  expect(asJson.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    content: [{ text: "\u001b[2Jcleared\u0007 \u202etxt.exe \u009b31m" }],
  });
});

test("--save refuses the name of a file before the tool is called", async () => {
  const cwd = temporaryFolder();
  const { code, stdout, stderr } = await tenon(["call", notes, "picture", "--save", "cake.png"], { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain('--save needs a folder, and "cake.png" is the name of a file.');
  mkdirSync(join(cwd, "cake.png"));
  expect(await tenon(["call", notes, "picture", "--save", "cake.png"], { cwd })).toMatchObject({ code: 0 });
});

test("--save writes pictures as files, replaces none, and prints their paths", async () => {
  const folder = join(temporaryFolder(), "new", "pictures");
  for (const number of [1, 2]) {
    const { stdout } = await tenon(["call", notes, "picture", "--save", folder]);
    const path = join(folder, `picture-${number}.png`);
    expect(stdout).toBe(`[image/png, 6 bytes] ${path}\n`);
    expect(readFileSync(path, "utf8")).toBe("pixels");
  }
});

test("--raw writes the bytes, but never to a terminal", async () => {
  expect((await tenon(["call", notes, "picture", "--raw"])).stdout).toBe("pixels");
  const shown = await tenon(["call", notes, "picture"], { isTTY: true, env: { CI: "true" } });
  expect(shown.stdout).toBe("[image/png, 6 bytes]\n");
  expect(shown.stderr).toContain("Add --save <folder> to keep pictures");
  const refused = await tenon(["call", notes, "picture", "--raw"], { isTTY: true });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("a file or a pipe");
});

test.each(["2025-11-25", "2026-07-28"])(
  "--elicit answers questions of the server in %s",
  async (revision) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "answers.json"), '{"color": "red"}');
    const ask = (...more: string[]): ReturnType<typeof tenon> =>
      tenon(["call", notes, "ask", "--revision", revision, ...more], { cwd: folder });
    expect((await ask("--elicit", "answers.json")).stdout).toContain('"content":{"size":7,"color":"red"}');
    expect((await ask("--elicit", "decline")).stdout).toContain('"decline"');
    const unable = await ask("--elicit", "accept");
    expect(unable.code).toBe(2);
    expect(unable.stderr).toContain("needs color");
    expect(unable.stderr).toContain("--elicit fields.json");
  },
);

test.each([
  [modernRevision, "Missing client capabilities: elicitation"],
  [legacyRevision, "The tool ask reports an error."],
])("a tool that needs input without a terminal names --elicit in %s", async (revision, said) => {
  const { stderr } = await tenon(["call", notes, "ask", "--revision", revision]);
  expect(stderr).toContain(said);
  expect(stderr).toContain("try: --elicit fields.json, --elicit accept or --elicit decline\n");
});

test("progress replaces one line of a terminal, and there is none without one", async () => {
  const run = async (isTTY: boolean): Promise<string> => {
    const interruption = new AbortController();
    const { stderr } = await tenon(["call", notes, "wait", "--timeout", "1h", "--fresh"], {
      isTTY,
      env: { NO_COLOR: "1" },
      signal: interruption.signal,
      onWrite: (_, text) => {
        if (text.includes("25 %")) {
          interruption.abort(new Interrupted());
        }
      },
      ...(isTTY ? {} : { signal: AbortSignal.abort(new Interrupted()) }),
    });
    return stderr;
  };
  expect(await run(true)).toContain("\r\u001b[Kwait 1/4 25 % a quarter\r\u001b[K");
  expect(await run(false)).not.toContain("\r");
});

test("an interruption cancels the request, and the exit code is 130", async () => {
  const interruption = new AbortController();
  const { code, stdout } = await tenon(["call", notes, "wait", "--json"], {
    isTTY: true,
    signal: interruption.signal,
    onWrite: (_, text) => {
      if (text.includes("25 %")) {
        interruption.abort(new Interrupted());
      }
    },
  });
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ error: { kind: "interrupted" } });
});

test("a time limit is exit code 6, and the error names the flag", async () => {
  const { code, stdout } = await tenon(["call", notes, "wait", "--timeout", "50ms", "--json"]);
  expect(code).toBe(6);
  expect(JSON.parse(stdout)).toMatchObject({ error: { kind: "timeout", code: "TIMEOUT" } });
  expect(stdout).toContain("--timeout");
});

test("--idle counts the time without progress", async () => {
  const { code, stderr } = await tenon(["call", notes, "wait", "--idle", "50ms"]);
  expect(code).toBe(6);
  expect(stderr).toContain("--idle");
});

test("--envelope adds the target, the era and the time", async () => {
  const { stdout } = await tenon(["call", notes, "echo", "a=1", "--json", "--envelope"]);
  const { result, ...envelope } = JSON.parse(stdout) as Record<string, unknown>;
  expect(envelope).toEqual({ target: notes, era: "modern", ms: expect.any(Number) });
  expect(result).toMatchObject({ content: [{ type: "text", text: '{"a":"1"}' }] });
});

test("the log of a program is shown with --verbose only", async () => {
  const quiet = await tenon(["call", "echo", ...program("loud.mjs")]);
  expect(quiet).toMatchObject({ code: 0, stderr: "" });
  const loud = await tenon(["call", "echo", "--verbose", ...program("loud.mjs")]);
  expect(loud.stderr).toContain("\\x1b[31mstarting");
});
