import type { Server } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { converse, everyRevision, type Conversation } from "./conversation.ts";

const many = Array.from({ length: 250 }, (_, index) => `v${index}`);

function addCompletable(server: Server): void {
  server.addPrompt(
    {
      name: "p",
      arguments: [{ name: "lang" }, { name: "file" }, { name: "free" }],
      complete: {
        lang: ["TypeScript", "Rust", "typst"],
        file: async (value, chosen) => [`${value}.${chosen["lang"] ?? "txt"}`],
      },
    },
    () => "",
  );
  server.addPrompt(
    {
      name: "typed",
      arguments: { type: "object", properties: { unit: { type: "string", enum: ["celsius", "kelvin"] } } },
    },
    () => "",
  );
  server.addResourceTemplate(
    {
      uriTemplate: "notes://{id}/{part}",
      name: "t",
      complete: {
        id: (value) => many.filter((id) => id.startsWith(value)),
        part: () => ({ values: ["a"], total: 9 }),
      },
    },
    () => "",
  );
  server.addResource({ uri: "notes://1", name: "one" }, () => "");
}

function complete(
  it: Conversation,
  ref: unknown,
  name: unknown,
  value: unknown,
  context?: unknown,
): Promise<unknown> {
  return it.call("completion/complete", {
    ref,
    argument: { name, value },
    ...(context === undefined ? {} : { context }),
  });
}

const prompt = { type: "ref/prompt", name: "p" };
const template = { type: "ref/resource", uri: "notes://{id}/{part}" };

test.each(everyRevision)(
  "arguments of prompts and templates are completed in revision %s (S-176, S-177, S-178, R-516, R-556, R-557, R-558)",
  async (revision) => {
    await using it = await converse(revision, addCompletable);
    expect(await complete(it, prompt, "lang", "ty")).toMatchObject({
      result: { completion: { values: ["TypeScript", "typst"], total: 2, hasMore: false } },
    });
    expect(await complete(it, prompt, "file", "main", { arguments: { lang: "rs" } })).toMatchObject({
      result: { completion: { values: ["main.rs"] } },
    });
    expect(await complete(it, { type: "ref/prompt", name: "typed" }, "unit", "k")).toMatchObject({
      result: { completion: { values: ["kelvin"] } },
    });
    expect(await complete(it, template, "part", "")).toMatchObject({
      result: { completion: { values: ["a"], total: 9, hasMore: true } },
    });
    expect(await complete(it, prompt, "free", "x")).toMatchObject({ result: { completion: { values: [] } } });
  },
);

test("at most 100 values are sent, and how many there are is said (R-557)", async () => {
  await using it = await converse(modernRevision, addCompletable);
  const { result } = (await complete(it, template, "id", "v")) as {
    result: { completion: { values: string[] } };
  };
  expect(result.completion).toMatchObject({ total: 250, hasMore: true });
  expect(result.completion.values).toHaveLength(100);
});

test.each(["2024-11-05", "2026-07-28"] as const)(
  "bad params are -32602 in %s, before any completer runs (S-179)",
  async (revision) => {
    await using it = await converse(revision, addCompletable);
    for (const [ref, name, value, context] of [
      [undefined, "lang", ""],
      [7, "lang", ""],
      [{ type: "ref/other", name: "p" }, "lang", ""],
      [{ type: "ref/prompt", name: "nothing" }, "lang", ""],
      [{ type: "ref/prompt" }, "lang", ""],
      [{ type: "ref/resource", name: "p" }, "lang", ""],
      [prompt, "nothing", ""],
      [prompt, 7, ""],
      [prompt, "lang", 7],
      [prompt, "lang", undefined],
      [prompt, "toString", ""],
      [prompt, "lang", "", 7],
      [prompt, "lang", "", { arguments: 7 }],
      [prompt, "lang", "", { arguments: { a: 7 } }],
    ] as [unknown, unknown, unknown, unknown?][]) {
      expect(await complete(it, ref, name, value, context)).toMatchObject({ error: { code: -32602 } });
    }
    expect(await it.call("completion/complete")).toMatchObject({ error: { code: -32602 } });
    expect(await complete(it, { type: "ref/resource", uri: "no:such" }, "id", "")).toMatchObject({
      error: { code: eraOf(revision) === "modern" ? -32602 : -32002 },
    });
  },
);

test("without completers there is no capability and no method (S-176)", async () => {
  await using it = await converse(modernRevision, (server) => {
    server.addPrompt({ name: "p", arguments: [{ name: "a" }] }, () => "");
  });
  const { result } = await it.call("server/discover");
  expect(result?.["capabilities"]).not.toHaveProperty("completions");
  expect(await complete(it, prompt, "a", "")).toMatchObject({ error: { code: -32601 } });
});

test("the capability is declared with completers, in revisions that have it (R-556)", async () => {
  for (const revision of ["2024-11-05", "2025-03-26"] as const) {
    await using it = await converse(revision, addCompletable);
    const [session] = it.server.sessions();
    expect(session?.capabilities?.completions).toEqual(revision === "2024-11-05" ? undefined : {});
  }
});

test("the server's own handler completes what definitions do not, with checked params (S-176)", async () => {
  await using it = await converse(
    legacyRevision,
    (server) => {
      server.addPrompt({ name: "p", arguments: [{ name: "a" }] }, () => "");
      server.addResource({ uri: "notes://1", name: "one" }, () => "");
    },
    { onComplete: ({ argument }, { method }) => [`${argument.name}:${method}`] },
  );
  expect(await complete(it, prompt, "a", "")).toMatchObject({
    result: { completion: { values: ["a:completion/complete"], total: 1, hasMore: false } },
  });
});

test("what a completer throws does not leak (S-182)", async () => {
  await using it = await converse(modernRevision, (server) => {
    server.addPrompt(
      {
        name: "p",
        arguments: [{ name: "a" }],
        complete: {
          a: () => {
            throw new Error("secret");
          },
        },
      },
      () => "",
    );
  });
  expect(await complete(it, prompt, "a", "")).toMatchObject({
    error: { code: -32603, message: "Internal error" },
  });
});
