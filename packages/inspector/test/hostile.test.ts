import { wrapTransport, type Transport } from "@tenon/jsonrpc2";
import { Server } from "@tenon/mcp";
import { chromiumPath, startChromium, type Browser } from "@tenon/test-support/chromium";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openSource } from "./support/open.ts";

let browser: Browser;

/** No program can convert it to a string in the usual way. */
const odd = { toString: 1 };

const letters = ["a", "b", "c", "d", "e", "f"];

/** `count` definitions of which each refers twice to the next. */
function doubling(keyword: string, count: number): object {
  const twice = (next: number): object => ({
    [keyword]: [{ $ref: `#/$defs/d${next}` }, { $ref: `#/$defs/d${next}` }],
  });
  const definitions = Array.from({ length: count }, (_, index) => [`d${index}`, twice(index + 1)] as const);
  return { ...Object.fromEntries(definitions), [`d${count}`]: { type: "string" } };
}

/** Schemas of tools, by the names of the tools. */
const schemas: Readonly<Record<string, object>> = {
  "escape-in-ref": { properties: { a: { $ref: "#/$defs/100%" } }, $defs: { "100%": { type: "string" } } },
  "itself-in-all": {
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } },
  },
  "itself-in-any": {
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } },
  },
  "millions-in-all": { properties: { a: { $ref: "#/$defs/d0" } }, $defs: doubling("allOf", 30) },
  "millions-in-any": { properties: { a: { $ref: "#/$defs/d0" } }, $defs: doubling("anyOf", 30) },
  "required-for-ever": {
    properties: Object.fromEntries(letters.map((letter) => [letter, { $ref: "#" }])),
    required: letters,
  },
  "format-of-an-object": { properties: { a: { type: "string", format: odd } } },
  "type-of-an-object": { properties: { a: { type: [odd, "string"] } } },
};

/** A server that lists, and responds with, what no program of a friend would. */
async function hostile(): Promise<Transport> {
  const server = new Server({ name: "hostile", version: "1.0.0" });
  server.addTool({ name: "any" }, () => "called");
  server.addPrompt({ name: "said", arguments: [{ name: "topic" }] }, () => "said");
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const tools = Object.entries(schemas).map(([name, schema]) => ({
    name,
    title: odd,
    inputSchema: { type: "object", required: ["a"], ...schema },
    _meta: { ui: { resourceUri: "ui://hostile/view" } },
  }));
  const replaced: Readonly<Record<string, unknown>> = {
    tools,
    prompts: [{ name: "said", arguments: [{ name: odd, title: odd }] }],
    messages: [{ role: odd, content: { type: "text", text: "Said by an object." } }],
  };
  return wrapTransport(here, {
    onRead(incoming) {
      const result = "result" in incoming ? (incoming.result as object) : {};
      const name = Object.keys(replaced).find((one) => one in result);
      return name === undefined ? incoming : { ...incoming, result: { ...result, [name]: replaced[name] } };
    },
  });
}

describe.skipIf(chromiumPath === undefined)("in Chromium (skipped without Chromium)", () => {
  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  test("definitions and results of any shape are drawn, and the page still works", async () => {
    await using opened = await openSource(browser, {
      kind: "live",
      label: "hostile",
      transport: await hostile(),
    });
    const { page, errors } = opened;
    const go = (view: string): Promise<void> => page.getByRole("button", { name: view }).first().click();
    const offered = page.getByRole("region", { name: "What the server offers" });
    await go("Try");
    for (const name of Object.keys(schemas)) {
      await offered.getByRole("button", { name }).click();
      const form = page.getByRole("region", { name, exact: true });
      await form.getByRole("group", { name: `Arguments of ${name}` }).waitFor();
    }
    await offered.getByRole("button", { name: "said" }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Said by an object.").waitFor();
    await go("Apps");
    await page.getByRole("button", { name: "Call the tool and show the view" }).first().waitFor();
    await go("Timeline");
    await page.getByRole("listbox", { name: "Messages" }).waitFor();
    expect(errors).toEqual([]);
  });
});
