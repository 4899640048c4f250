import { canaries, canary, secretShapes } from "@tenon/samples/canaries";
import { parseCassette } from "@tenon/testing/cassette";
import { expect, test } from "vitest";

import type { LiveSource } from "../src/index.ts";
import { logIn, type FakeBrowser } from "./support/browser.ts";

const { word, hex } = canaries;
const secretUrl = `https://ann:${word}@x.test/mcp?api_key=${word}#access_token=${hex}`;

/** A session whose every message, problem and HTTP exchange has secrets. */
async function leaky(source?: LiveSource): Promise<FakeBrowser> {
  const lines: object[] = [{ tenon: 1, side: "client", target: secretUrl }];
  for (const [id, { value }] of secretShapes.entries()) {
    const entry = { at: id, connection: 0 };
    const name = typeof value === "string" ? value : secretUrl;
    const request = {
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: { value, city: "Oslo" } },
    };
    const result = { content: [{ type: "text", text: name }], structuredContent: { value } };
    lines.push({ ...entry, dir: "write", message: request });
    lines.push({
      ...entry,
      dir: "read",
      message:
        id % 2 === 0
          ? { jsonrpc: "2.0", id, result }
          : { jsonrpc: "2.0", id, error: { code: -1, message: name, data: value } },
    });
    lines.push({ ...entry, dir: "read", error: name });
  }
  const cassette = parseCassette(lines.map((line) => JSON.stringify(line)).join("\n"));
  return logIn({ source: source ?? { kind: "recording", label: secretUrl, cassette } });
}

test.each([["jsonl"], ["har"], ["html"], ["test"]])(
  "an export as %s has no secrets, and stays readable",
  async (format) => {
    const browser = await leaky();
    const response = await browser.send(`export?format=${format}`);
    expect(response.status).toBe(200);
    const body = await response.text();
    expect(body).not.toMatch(canary);
    expect(body).toContain("Oslo");
    expect(body).toContain("x.test");
    expect(response.headers.get("content-disposition")).not.toMatch(canary);
    await browser.inspector.close();
  },
);

test("HTTP exchanges are shown and exported without the secrets of their URLs and headers", async () => {
  const browser = await logIn({
    source: { kind: "tap", label: `npx server --token ${word} --api-key=${word}` },
  });
  const observed = browser.inspector.observeFetch((input) =>
    JSON.stringify(input).includes("fail")
      ? Promise.reject(new Error(`connect to ${secretUrl} failed`))
      : Promise.resolve(
          new Response("{}", {
            headers: { "set-cookie": `sid=${word}`, location: secretUrl, "x-seen": "kept" },
          }),
        ),
  );
  const headers = {
    authorization: `Bearer ${word}`,
    "x-api-key": word,
    cookie: `a=${word}`,
    "mcp-session-id": hex,
  };
  await observed(secretUrl, { method: "POST", headers, body: "{}" });
  await observed(`https://x.test/fail?code=${hex}`, { headers }).catch(() => {});
  const lines = JSON.stringify(await browser.lines());
  const details = await Promise.all(
    [1, 2].map(async (seq) => (await browser.send(`line?seq=${seq}`)).text()),
  );
  expect(lines + details.join("")).not.toMatch(canary);
  expect(details.join("")).toContain("kept");
  for (const format of ["jsonl", "har", "html"]) {
    expect(await (await browser.send(`export?format=${format}`)).text()).not.toMatch(canary);
  }
  await browser.inspector.close();
});

test("a key in the path of a server is neither shown nor exported, although headers repeat it", async () => {
  const path = `/s/${hex}/mcp`;
  const browser = await logIn({ source: { kind: "tap", label: "host" } });
  const challenge = `Bearer resource_metadata="https://x.test/.well-known/oauth-protected-resource${path}"`;
  const response = new Response("", { status: 401, headers: { "www-authenticate": challenge } });
  await browser.inspector.observeFetch(() => Promise.resolve(response))(`https://x.test${path}?city=Oslo`);
  const line = await (await browser.send("line?seq=1")).text();
  const html = await (await browser.send("export?format=html")).text();
  expect(line).toContain("https://x.test/s/[redacted]/mcp?city=Oslo");
  expect(line).toContain("oauth-protected-resource/s/[redacted]/mcp");
  expect(JSON.stringify(await browser.lines()) + line + html).not.toMatch(canary);
  await browser.inspector.close();
});

test.each([[{ url: secretUrl }], [{ command: "npx", args: ["server", "--token", word, `--key=${hex}`] }]])(
  "tests are exported without the secrets of the address of the server: %j",
  async (address) => {
    const transport = { connect: () => Promise.reject(new Error("not here")) };
    const browser = await logIn({ source: { kind: "live", label: secretUrl, address, transport } });
    const observe = browser.inspector.write.bind(browser.inspector);
    const entry = { at: 1, connection: 0 };
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "t", arguments: { pin: canaries.number } },
    };
    observe(`${JSON.stringify({ tenon: 1, side: "client" })}\n`);
    observe(`${JSON.stringify({ ...entry, dir: "write", message: call })}\n`);
    observe(
      `${JSON.stringify({ ...entry, dir: "read", message: { jsonrpc: "2.0", id: 1, result: { content: [], structuredContent: { pin: canaries.number } } } })}\n`,
    );
    const body = await (await browser.send("export?format=test")).text();
    expect(body).toContain("test.skip");
    expect(body).toContain("expect.anything()");
    expect(body).not.toMatch(canary);
    await browser.inspector.close();
  },
);
