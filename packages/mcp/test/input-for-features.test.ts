import { inputRequired } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectPair } from "./pair.ts";

const ask = {
  method: "elicitation/create",
  params: { message: "Name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } },
} as const;

test.each(bothEras)(
  "prompts and resources may ask for input, by call or by result, and answers given so are not cached, in %s (R-576, R-578, R-645)",
  async (revision) => {
    let count = 0;
    await using pair = await connectPair(
      {
        revision,
        client: { elicitation: { form: () => ({ action: "accept", content: { name: `n${++count}` } }) } },
      },
      (server) => {
        server.addPrompt({ name: "called" }, async (_, ctx) => {
          const { content } = await ctx.elicit({ ...ask.params });
          return `Hello ${String(content?.["name"])}`;
        });
        server.addResource({ uri: "r:1", name: "r", cache: { ttlMs: 1000 } }, (_, ctx) =>
          ctx.inputResponses === undefined
            ? inputRequired({ inputRequests: { who: ask } })
            : JSON.stringify(ctx.inputResponses["who"]),
        );
      },
    );
    const { messages } = await pair.session.getPrompt({ name: "called" });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Hello n1" } }]);
    const first = await pair.session.readResource({ uri: "r:1" });
    const second = await pair.session.readResource({ uri: "r:1" });
    expect(first.contents).toMatchObject([{ text: '{"action":"accept","content":{"name":"n2"}}' }]);
    expect(second.contents).toMatchObject([{ text: '{"action":"accept","content":{"name":"n3"}}' }]);
    const rounds = pair.received.filter((message) => JSON.stringify(message).includes('"input_required"'));
    expect(rounds).toHaveLength(eraOf(revision) === "modern" ? 3 : 0);
    expect(JSON.stringify(rounds)).not.toContain("ttlMs");
  },
);
