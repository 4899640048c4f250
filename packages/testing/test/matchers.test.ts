import { Server } from "@tenon/mcp";
import { expect as jestExpect } from "expect";
import { describe, expect, it } from "vitest";

import * as assertions from "../src/assert.ts";
import { definitionsOf } from "../src/definitions/collect.ts";
import { matchers as forJest } from "../src/jest.ts";
import { pair } from "../src/pair.ts";
import type { Pair } from "../src/pair/connect.ts";
import { matchers, printOnFailure } from "../src/vitest.ts";

expect.extend(matchers);
jestExpect.extend(forJest);

const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

async function connect(): Promise<Pair> {
  const server = new Server({ name: "any", version: "1.0.0" }, { onError: () => {} });
  server.addTool({ name: "count", annotations: { readOnlyHint: true }, output }, () => ({ n: 1 }));
  server.addTool({ name: "greet" }, () => "Hello!");
  return printOnFailure(await pair(server));
}

const greeting = { content: [{ type: "text", text: "Hello!" }] };
const failure = { content: [{ type: "text", text: "not found" }], isError: true };

describe("matchers of vitest, of Jest, and assertions", () => {
  it("read the text of text blocks alone", () => {
    const odd = [{ type: "image", text: "hidden" }, null, { type: "text", text: "seen" }];
    expect({ content: odd }).toBeToolText("seen");
  });

  it("say what toOfferTool takes, if it is given a pair", async () => {
    await using connected = await connect();
    expect(() => expect(connected as never).toOfferTool("greet")).toThrow(
      "expect(await definitionsOf(session)).toOfferTool(…)",
    );
  });

  it("refuse a tool without an output schema, and a result without structured content", () => {
    expect(() =>
      expect({ structuredContent: 5 }).toMatchOutputSchema({ name: "t", inputSchema: {} }),
    ).toThrow('Expected a schema, or a tool with outputSchema; the tool "t" has none.');
    expect({ content: [] }).not.toMatchOutputSchema({});
  });

  it("match an expression from its start each time, whatever its flags are", () => {
    const expected = /Hello/g;
    expect(greeting).toBeToolText(expected);
    expect(greeting).toBeToolText(expected);
  });

  it("pass for what they name", async () => {
    await using connected = await connect();
    const { session } = connected;
    const result = await session.callTool({ name: "greet" });
    const counted = await session.callTool({ name: "count" });
    const definitions = await definitionsOf(session);

    expect(result).toBeToolText("Hello!");
    expect(result).toBeToolText(/^Hello/);
    expect(failure).toBeToolError("not found");
    expect(failure).toBeToolError();
    expect(counted).toMatchOutputSchema({ outputSchema: output });
    expect(counted).toMatchOutputSchema(output);
    expect(connected).toHaveCalled("tools/call", { name: "greet" });
    expect(connected).toHaveNoProtocolErrors();
    expect(definitions).toOfferTool("count", { annotations: { readOnlyHint: true } });
    expect(definitions).not.toOfferTool("stranger");

    jestExpect(result).toBeToolText("Hello!");
    jestExpect(connected).toHaveCalled("tools/call");
    jestExpect(failure).not.toBeToolText("not found");

    assertions.assertToolText(result, "Hello!");
    assertions.assertToolError(failure, /found/);
    assertions.assertOutputSchema(counted, output);
    assertions.assertCalled(connected, "tools/call", { name: "count" });
    assertions.assertNoProtocolErrors(connected);
    assertions.assertOffersTool(definitions, "greet");
  });

  it.each([
    [1_000, ""],
    [1_001, "…"],
  ])("show a result of %i characters, and mark what is cut", (length, end) => {
    const around = JSON.stringify({ content: [{ type: "text", text: "" }] }).length;
    const result = { content: [{ type: "text", text: "a".repeat(length - around) }] };
    const shown = JSON.stringify(result);
    const expected = end === "" ? `${shown}.` : `${shown.slice(0, 999)}${end}.`;
    expect(() => assertions.assertToolError(result)).toThrow(expected);
  });

  it("fail with what was expected and what came", async () => {
    await using connected = await connect();
    await connected.session.callTool({ name: "no-such-tool" }).catch(() => {});
    const definitions = await definitionsOf(connected.session);

    expect(() => expect(greeting).toBeToolText("Bye!")).toThrow(
      /Expected a result with the text Bye!; got .*Hello!/,
    );
    expect(() => expect(failure).toBeToolText("not found")).toThrow("isError");
    expect(() => expect(greeting).toBeToolError()).toThrow("isError: true");
    expect(() => expect("nothing").toBeToolText("x")).toThrow("nothing");
    expect(() => expect({ structuredContent: { n: "1" } }).toMatchOutputSchema(output)).toThrow("/n");
    expect(() => expect(connected).toHaveCalled("prompts/get")).toThrow("→");
    expect(() => expect(connected).toHaveNoProtocolErrors()).toThrow("no-such-tool");
    expect(() => expect(definitions).toOfferTool("stranger")).toThrow('["count","greet"]');
    expect(() => expect(greeting).not.toBeToolText("Hello!")).toThrow("Expected anything but");
    expect(() => jestExpect(greeting).toBeToolText("Bye!")).toThrow("Bye!");
    expect(() => assertions.assertToolText(greeting, "Bye!")).toThrow(
      expect.objectContaining({ name: "AssertionError", code: "ERR_ASSERTION" }),
    );
  });
});
