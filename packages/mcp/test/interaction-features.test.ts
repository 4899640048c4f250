import { accepted, inputRequired } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectPair } from "./pair.ts";

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const client = { elicitation: { form: () => ({ action: "accept" as const, content: { name: "Ada" } }) } };

test.each(bothEras)("prompts and resources ask like tools do, in %s", async (revision) => {
  await using pair = await connectPair({ revision, client }, (server) => {
    server.addPrompt({ name: "greet" }, async (_, ctx) => {
      return `Greet ${accepted(await ctx.elicit({ message: "Who?", requestedSchema: form })).name}`;
    });
    server.addPrompt({ name: "by-hand" }, (_, ctx) =>
      ctx.inputResponses === undefined
        ? inputRequired({
            inputRequests: {
              who: {
                method: "elicitation/create",
                params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
              },
            },
          })
        : JSON.stringify(ctx.inputResponses),
    );
    server.addResource({ name: "me", uri: "memo://me", cache: { ttlMs: 5 } }, async (_, ctx) => {
      return accepted(await ctx.elicit({ message: "Who?", requestedSchema: form })).name;
    });
    server.addResource({ name: "hand", uri: "memo://hand" }, (_, ctx) =>
      ctx.requestState === undefined ? inputRequired({ requestState: 1 }) : JSON.stringify(ctx.requestState),
    );
  });
  const prompt = await pair.session.request("prompts/get", { name: "greet" });
  expect(prompt.messages).toEqual([{ role: "user", content: { type: "text", text: "Greet Ada" } }]);
  const byHand = await pair.session.request("prompts/get", { name: "by-hand" });
  expect(JSON.stringify(byHand.messages)).toContain("accept");
  const me = await pair.session.request("resources/read", { uri: "memo://me" });
  expect(me.contents).toMatchObject([{ uri: "memo://me", text: "Ada" }]);
  const hand = await pair.session.request("resources/read", { uri: "memo://hand" });
  expect(hand.contents).toMatchObject([{ text: "1" }]);
  expect(pair.errors).toEqual([]);
});

test("a resource that needs input has no caching hints (R-575)", async () => {
  await using pair = await connectPair({ client }, (server) => {
    server.addResource({ name: "me", uri: "memo://me", cache: { ttlMs: 5 } }, async (_, ctx) => {
      return accepted(await ctx.elicit({ message: "Who?", requestedSchema: form })).name;
    });
  });
  const asked = await pair.session.request("resources/read", { uri: "memo://me" }, { autoFulfil: false });
  expect(asked).toMatchObject({ resultType: "input_required" });
  expect(asked).not.toHaveProperty("ttlMs");
  expect(asked).not.toHaveProperty("cacheScope");
  expect(await pair.session.request("resources/read", { uri: "memo://me" })).toMatchObject({ ttlMs: 5 });
});

test("a prompt or resource whose client cannot be asked fails with the reason, in both eras", async () => {
  for (const revision of bothEras) {
    await using pair = await connectPair({ revision }, (server) => {
      server.addPrompt({ name: "greet" }, async (_, ctx) => {
        return accepted(await ctx.elicit({ message: "Who?", requestedSchema: form })).name;
      });
      server.addResource({ name: "me", uri: "memo://me" }, async (_, ctx) => {
        return accepted(await ctx.elicit({ message: "Who?", requestedSchema: form })).name;
      });
    });
    const expected =
      eraOf(revision) === "modern"
        ? { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } }
        : { code: -32603, message: expect.stringContaining("has not declared") as string };
    await expect(pair.session.request("prompts/get", { name: "greet" })).rejects.toMatchObject(expected);
    await expect(pair.session.request("resources/read", { uri: "memo://me" })).rejects.toMatchObject(
      expected,
    );
    expect(pair.errors).toEqual([]);
  }
});
