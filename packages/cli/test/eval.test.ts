import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

// Loaded before the first test, whose time would otherwise be that of the compiler.
// oxlint-disable-next-line import/no-unassigned-import
import "../src/commands/eval.ts";
import { fixture, json, temporaryFolder, tenon } from "./support.ts";

const key = "sk-test-0123456789abcdefghijklmnop";
const token = "abc12345";
const notes = fixture("notes.mjs");

/** What the scripted model reads from a request of any vendor. */
interface Asked {
  readonly ask: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly result: string | undefined;
}

type Choice = { readonly name: string; readonly args: object } | { readonly text: string };

/** Chooses the first tool whose description has a word of the ask, as a bad model does. */
function choose({ ask, tools, result }: Asked): Choice {
  if (result !== undefined) {
    return { text: `It says ${result}.` };
  }
  const words = ask.toLowerCase().split(/\W+/);
  const tool = tools.find(({ description }) =>
    words.some((word) => word.length > 3 && description.toLowerCase().includes(word)),
  );
  return tool === undefined
    ? { text: "I do not know." }
    : { name: tool.name, args: { name: "milk", times: 2, ...(tool.name === "revoke" ? { token } : {}) } };
}

/** The untyped JSON of a vendor. */
type Json = ReturnType<typeof JSON.parse>;

// The requests have the vendors' forms: a part that is missing throws, which is a response 400.
const grammars: Readonly<Record<string, (body: Json, headers: NodeJS.Dict<string | string[]>) => unknown>> = {
  "/v1/messages"(body, headers) {
    expect(headers["x-api-key"]).toBe(key);
    expect(headers["anthropic-version"]).toBe("2023-06-01");
    expect(body.max_tokens).toBeGreaterThan(0);
    const last = body.messages.at(-1);
    expect(last.role).toBe("user");
    const result = last.content.find((block: Json) => block.type === "tool_result");
    if (result !== undefined) {
      const use = body.messages.at(-2).content.find((block: Json) => block.type === "tool_use");
      expect(result.tool_use_id).toBe(use.id);
    }
    const choice = choose({
      ask: body.messages[0].content[0].text,
      tools: body.tools.map((tool: Json) => (expect(tool.input_schema.type).toBe("object"), tool)),
      result: result?.content[0].text,
    });
    const usage = { input_tokens: 100, output_tokens: 10 };
    return "text" in choice
      ? { content: [{ type: "text", text: choice.text }], stop_reason: "end_turn", usage }
      : {
          content: [{ type: "tool_use", id: "toolu_1", name: choice.name, input: choice.args }],
          stop_reason: "tool_use",
          usage,
        };
  },
  "/v1/chat/completions"(body, headers) {
    expect(headers["authorization"]).toBe(`Bearer ${key}`);
    const last = body.messages.at(-1);
    if (last.role === "tool") {
      expect(last.tool_call_id).toBe(body.messages.at(-2).tool_calls[0].id);
    }
    const choice = choose({
      ask: body.messages.find((message: Json) => message.role === "user").content,
      tools: body.tools.map(
        (tool: Json) => (expect(tool.function.parameters.type).toBe("object"), tool.function),
      ),
      result: last.role === "tool" ? last.content : undefined,
    });
    const message =
      "text" in choice
        ? { role: "assistant", content: choice.text }
        : {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                id: "c1",
                type: "function",
                function: { name: choice.name, arguments: JSON.stringify(choice.args) },
              },
            ],
          };
    return { choices: [{ index: 0, message }], usage: { prompt_tokens: 100, completion_tokens: 10 } };
  },
  "/v1beta/models/test:generateContent"(body, headers) {
    expect(headers["x-goog-api-key"]).toBe(key);
    const last = body.contents.at(-1);
    expect(last.role).toBe("user");
    const result = last.parts.find((part: Json) => part.functionResponse !== undefined)?.functionResponse;
    if (result !== undefined) {
      // What the model sent comes back unchanged, with the signature of its thoughts.
      expect(body.contents.at(-2).parts[0].thoughtSignature).toBe("signed");
    }
    const choice = choose({
      ask: body.contents[0].parts[0].text,
      tools: body.tools[0].functionDeclarations,
      result: result === undefined ? undefined : JSON.stringify(result.response),
    });
    const part = "text" in choice ? choice : { functionCall: choice, thoughtSignature: "signed" };
    return {
      candidates: [{ content: { role: "model", parts: [part] } }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10 },
    };
  },
};

/** A server that speaks the grammar of every vendor, and the environment that leads to it. */
async function vendors(): Promise<{
  env: Record<string, string>;
  asked(): number;
  refuse(times: number): void;
}> {
  let asked = 0;
  let refusals = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      asked++;
      if (refusals-- > 0) {
        response.writeHead(429, { "retry-after": "0.01" }).end();
        return;
      }
      const grammar = grammars[request.url ?? ""];
      try {
        const answer = grammar?.(JSON.parse(text), request.headers);
        response
          .writeHead(answer === undefined ? 404 : 200)
          .end(JSON.stringify(answer ?? { error: { message: "no" } }));
      } catch (error) {
        response.writeHead(400).end(JSON.stringify({ error: { message: `${String(error)} ${key}` } }));
      }
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked: () => asked,
    refuse: (times) => (refusals = times),
    env: {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: base,
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${base}/v1`,
      GEMINI_API_KEY: key,
      GEMINI_BASE_URL: base,
    },
  };
}

const models = ["anthropic:test", "openai:test", "gemini:test"];

/** A module with two tools, whose descriptions decide what the scripted model chooses. */
function writeServer(file: string, first: string, second: string): void {
  writeFileSync(
    file,
    `import { Server } from "${new URL("../../mcp/dist/index.js", import.meta.url).href}";
    export const server = new Server({ name: "shop", version: "1" });
    const input = { type: "object", properties: { name: { type: "string" }, times: { type: "integer" } }, required: ["name"] };
    server.addTool({ name: "look", description: "${first}", input, annotations: { readOnlyHint: true } }, ({ name }) => name + " is there");
    server.addTool({ name: "order", description: "${second}", input }, () => { throw new Error("called in an evaluation"); });`,
  );
}

test("eval asks models of every vendor, records them without keys, and repeats the recording without a model", async () => {
  const cwd = temporaryFolder();
  const { env, asked, refuse } = await vendors();
  writeServer(join(cwd, "shop.mjs"), "Whether something is there", "Buys something");
  const cases = [
    { ask: "Is there whether milk?", expect: [{ tool: "look", arguments: { name: "milk" } }], maxCalls: 1 },
    { ask: "Buys milk!", expect: [{ tool: "order", arguments: { times: 3 } }] },
    { ask: "Hello!", expect: [] },
  ];
  writeFileSync(join(cwd, "q.json"), JSON.stringify({ cases }));
  refuse(1);
  const flags = models.flatMap((model) => ["--model", model]);
  const ran = await tenon(["eval", "q.json", "shop.mjs", ...flags, "--min", "60", "--html", "r.html"], {
    cwd,
    env,
  });
  expect(ran.stderr).toContain("q.recording.jsonl has the responses.");
  expect(ran.code).toBe(0);
  for (const model of models) {
    expect(ran.stdout).toMatch(new RegExp(`${model} +2/3 +3/3 +2/3 +0.7`));
  }
  expect(ran.stdout).toContain("The arguments of order are not the expected ones.");
  // Three models, five responses each, and one that was refused at first.
  expect(asked()).toBe(16);
  const recording = readFileSync(join(cwd, "q.recording.jsonl"), "utf8");
  const page = readFileSync(join(cwd, "r.html"), "utf8");
  expect(recording).not.toContain(key);
  expect(page).toContain("<td>anthropic:test</td><td>2 of 3</td>");

  const again = (await json(["eval", "q.json", "shop.mjs", "--min", "60"], { cwd })) as { models: unknown };
  expect(again).toMatchObject({ isRepeated: true, percent: 66, changes: [] });
  expect((again as { models: { passed: number }[] }).models.map(({ passed }) => passed)).toEqual([2, 2, 2]);
  expect((await tenon(["eval", "q.json", "shop.mjs"], { cwd })).code).toBe(1);
  expect(asked()).toBe(16);
});

test("a changed description fails the repeated recording, and with a model names the changed choice", async () => {
  const cwd = temporaryFolder();
  const { env } = await vendors();
  const cases = [{ ask: "Find milk", expect: [{ tool: "look", arguments: {} }] }];
  writeFileSync(join(cwd, "q.json"), JSON.stringify({ cases }));
  writeServer(join(cwd, "one.mjs"), "To find something", "Buys something");
  writeServer(join(cwd, "two.mjs"), "Looks", "To find and order something");
  const model = ["--model", "openai:test"];
  expect((await tenon(["eval", "q.json", "one.mjs", ...model], { cwd, env })).code).toBe(0);
  const stale = await tenon(["eval", "q.json", "two.mjs"], { cwd });
  expect(stale.code).toBe(7);
  expect(stale.stdout).toContain("The tools differ from the recording:");
  expect(stale.stdout).toContain("look /description");
  const changed = await tenon(["eval", "q.json", "two.mjs", ...model], { cwd, env });
  expect(changed.code).toBe(7);
  expect(changed.stdout).toMatch(/≠ Find milk.*\n +look\(.*\) → order\(/);
  const updated = await tenon(["eval", "q.json", "two.mjs", ...model, "--update", "--min", "0"], {
    cwd,
    env,
  });
  expect(updated.code).toBe(0);
  expect((await tenon(["eval", "q.json", "two.mjs", "--min", "0"], { cwd })).code).toBe(0);
});

test("eval names what is wrong with a file, a model or a key, and shows no key", async () => {
  const cwd = temporaryFolder();
  const { env } = await vendors();
  writeFileSync(join(cwd, "q.json"), JSON.stringify({ cases: [{ ask: "Find milk", expect: [] }] }));
  const run = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await tenon(["eval", ...argv], { cwd, env });
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toContain(key);
    return stderr;
  };
  expect(await run("q.json", notes)).toContain("There is no recording");
  expect(await run("q.json", notes, "--model", "llama:3")).toContain("--model openai:gpt-5");
  expect(await run("q.json", notes, "--model", "anthropic:test", "--model-url", "ftp://x")).toContain("http");
  expect(await run("q.json", notes, "--model", "gemini:no-such")).toContain("gemini responds with 404: no");
  const url = ["--model-url", "http://127.0.0.1:9"];
  expect(await run("q.json", notes, "--model", "openai:test", ...url)).toContain("openai cannot be reached");
  writeFileSync(join(cwd, "bad.json"), JSON.stringify({ cases: [{ ask: "x", expected: [] }] }));
  expect(await run("bad.json", notes)).toContain('/cases/0 has an unknown property "expected"');
  const noKey = await tenon(["eval", "q.json", notes, "--model", "openai:test"], { cwd });
  expect(noKey.stderr).toContain("set OPENAI_API_KEY");
});

/** A server that responds to every request with the same status and text. */
async function answering(status: number, text: string): Promise<readonly string[]> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end(text);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return ["--model-url", `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}

test("a key of any form is in no message, and a key that is not visible ASCII is refused", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "q.json"), JSON.stringify({ cases: [{ ask: "Find milk", expect: [] }] }));
  const run = async (own: string, model: string, url: readonly string[]): Promise<string> => {
    const env = { OPENAI_API_KEY: own, ANTHROPIC_API_KEY: own };
    const { stdout, stderr } = await tenon(["eval", "q.json", notes, "--model", model, ...url], { cwd, env });
    return stdout + stderr;
  };
  const odd = 'pear&"/plum\\fig';
  const said = JSON.stringify(odd)
    .slice(1, -1)
    .replace("&", String.raw`\u0026`);
  for (const [status, text] of [
    [401, JSON.stringify({ error: { message: `wrong: ${odd}.` } })],
    [200, `{"wrong": "${said}."`],
    [400, `wrong: ${encodeURIComponent(odd)}.`],
  ] as const) {
    const shown = await run(odd, "openai:test", await answering(status, text));
    expect(shown).toContain("[redacted].");
    expect(shown).not.toMatch(/pear|plum|fig/);
  }
  for (const wrong of ["pear\nplum", "pear plum", "pear–plum", "pear\r"]) {
    const shown = await run(wrong, "anthropic:test", ["--model-url", "http://127.0.0.1:9"]);
    expect(shown).toContain("ANTHROPIC_API_KEY must be visible ASCII");
    expect(shown).not.toMatch(/pear|plum/);
  }
});

test("a recording without its secrets passes as the models did, and tells which choices changed", async () => {
  const cwd = temporaryFolder();
  const { env } = await vendors();
  writeFileSync(
    join(cwd, "shop.mjs"),
    `import { Server } from "${new URL("../../mcp/dist/index.js", import.meta.url).href}";
    export const server = new Server({ name: "shop", version: "1" });
    const token = { type: "string", pattern: "^[a-c1-5]+$" };
    const input = { type: "object", properties: { name: { type: "string" }, times: { type: "integer" }, token } };
    server.addTool({ name: "revoke", description: "Revokes a token", input }, () => "");`,
  );
  const ask = "Revokes sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD now";
  const write = (args: object): void =>
    writeFileSync(
      join(cwd, "q.json"),
      JSON.stringify({ cases: [{ ask, expect: [{ tool: "revoke", arguments: args }] }] }),
    );
  write({ token });
  const run = async (...flags: readonly string[]): Promise<number> =>
    (await tenon(["eval", "q.json", "shop.mjs", ...flags], { cwd, env })).code;
  const model = ["--model", "openai:test"];
  expect(await run(...model)).toBe(0);
  const recording = readFileSync(join(cwd, "q.recording.jsonl"), "utf8");
  expect(recording).toContain('"token":"[redacted]"');
  expect(recording).not.toMatch(/abc12345|sk-proj/);
  expect(await run()).toBe(0);
  expect(await run(...model)).toBe(0);
  write({ token, times: 3 });
  expect(await run()).toBe(1);
  // A hidden value that was wrong stays wrong, although both are hidden.
  write({ token: "ccc" });
  expect(await run(...model, "--update")).toBe(1);
  expect(readFileSync(join(cwd, "q.recording.jsonl"), "utf8")).not.toContain("abc12345");
  expect(await run()).toBe(1);
});

test("a recording keeps what was paid for: other models, the runs before an error, new cases", async () => {
  const cwd = temporaryFolder();
  const { env, asked } = await vendors();
  writeServer(join(cwd, "one.mjs"), "To find something", "Buys something");
  writeServer(join(cwd, "two.mjs"), "To find all", "Buys something");
  const write = (...asks: readonly string[]): void =>
    writeFileSync(
      join(cwd, "q.json"),
      JSON.stringify({ cases: asks.map((ask) => ({ ask, expect: [{ tool: "look" }] })) }),
    );
  const run = async (server: string, ...flags: readonly string[]): Promise<string> => {
    const { code, stderr } = await tenon(["eval", "q.json", server, ...flags], { cwd, env });
    return `${code} ${stderr}`;
  };
  const recorded = (): readonly string[] =>
    readFileSync(join(cwd, "q.recording.jsonl"), "utf8")
      .split("\n")
      .slice(1, -1)
      .map((line) => JSON.parse(line))
      .filter(({ turn }) => turn === 0)
      .map(({ model, ask, repetition }) => `${model} ${ask} ${repetition}`);
  const openai = ["--model", "openai:test"];
  const gemini = ["--model", "gemini:test"];
  write("Find milk");
  expect(await run("one.mjs", ...openai, "--repeat", "2")).toMatch(/^0 /);
  expect(await run("one.mjs", ...gemini, "--update")).toMatch(/^0 /);
  const both = ["openai:test Find milk 1", "openai:test Find milk 2", "gemini:test Find milk 1"];
  expect(recorded()).toEqual(both);
  // Each model is repeated as often as it was recorded.
  expect(await run("one.mjs")).toMatch(/^0 /);

  const before = asked();
  const lost = await run("two.mjs", ...gemini, "--update");
  expect(lost).toMatch(/^2 .*responses of openai:test too[^]*add --model openai:test/);
  write("Find milk", "Find tea");
  for (const flags of [[], gemini]) {
    const missing = await run("one.mjs", ...flags);
    expect(missing).toMatch(
      /^7 .*Expected a response of \w+:test to "Find tea"[^]*--model \w+:test --update/,
    );
  }
  const url = await run("one.mjs", ...openai, ...gemini, "--model-url", env["GEMINI_BASE_URL"] ?? "");
  expect(url).toMatch(/^2 .*the keys of openai and gemini[^]*OPENAI_BASE_URL and GEMINI_BASE_URL/);
  write("Find milk", "Find tea", "Find milk");
  expect(await run("one.mjs", ...openai)).toMatch(/^2 .*\/cases\/0 and \/cases\/2 .*the same "ask"/);
  expect(asked()).toBe(before);

  // The model of an unknown name fails after the responses of the other.
  write("Find tea", "Find milk");
  expect(await run("one.mjs", ...openai, "--model", "gemini:none", "--update")).toMatch(/^5 /);
  expect(recorded().toSorted()).toEqual([...both, "openai:test Find tea 1"].toSorted());
});
