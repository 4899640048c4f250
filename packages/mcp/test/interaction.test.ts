import { isLocalError, RpcError } from "@tenon/jsonrpc2";
import { accepted, inputRequired, isMcpError, type RequestContext, type ClientOptions } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras, deferred, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { askingRevisions, connectPair, textOf } from "./pair.ts";

const nameForm = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
} as const;

const answersAll: ClientOptions = {
  roots: [{ uri: "file:///work", name: "work" }],
  sampling: {
    createMessage: ({ messages }) => ({
      role: "assistant",
      model: "echo",
      content: { type: "text", text: `${messages.length} heard` },
    }),
  },
  elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
};

test.each(askingRevisions)("one linear handler asks for everything in %s (R-659)", async (revision) => {
  const kinds: string[] = [];
  await using pair = await connectPair({ revision, client: answersAll }, (server) => {
    server.addTool({ name: "everything" }, async (_, ctx) => {
      const { name } = accepted(await ctx.elicit({ message: "Who?", requestedSchema: nameForm }));
      const roots = await ctx.listRoots();
      const { content } = await ctx.sample({
        maxTokens: 10,
        messages: [{ role: "user", content: { type: "text", text: name } }],
      });
      return `${name}, ${roots.map(({ uri }) => uri).join()}, ${JSON.stringify(content)}`;
    });
  });
  pair.client.addReceivingMiddleware((next) => (request) => {
    kinds.push(request.method);
    return next(request);
  });
  const result = await pair.session.callTool({ name: "everything" });
  expect(textOf(result)).toBe(`Ada, file:///work, {"type":"text","text":"1 heard"}`);
  expect(kinds).toEqual(["elicitation/create", "roots/list", "sampling/createMessage"]);
  expect(pair.errors).toEqual([]);
});

test.each(bothEras)("inputs asked for in one turn are asked at the same time in %s", async (revision) => {
  let open = 0;
  let most = 0;
  const bothAsked = deferred();
  const client: ClientOptions = {
    elicitation: {
      form: async ({ message }) => {
        open++;
        most = Math.max(most, open);
        if (open === 2) {
          bothAsked.resolve(undefined);
        }
        await bothAsked.promise;
        open--;
        return { action: "accept", content: { name: message } };
      },
    },
  };
  let runs = 0;
  await using pair = await connectPair({ revision, client }, (server) => {
    server.addTool({ name: "two" }, async (_, ctx) => {
      runs++;
      const both = await Promise.all([
        ctx.elicit({ message: "a", requestedSchema: nameForm }),
        ctx.elicit({ message: "b", requestedSchema: nameForm }),
      ]);
      return both.map((outcome) => accepted(outcome).name).join();
    });
  });
  expect(textOf(await pair.session.callTool({ name: "two" }))).toBe("a,b");
  expect(most).toBe(2);
  expect(runs).toBe(eraOf(revision) === "modern" ? 2 : 1);
});

test.each(bothEras)(
  "declined and cancelled elicitations are outcomes, or a ToolError if wanted, in %s",
  async (revision) => {
    for (const action of ["decline", "cancel"] as const) {
      const client: ClientOptions = {
        elicitation: { form: () => ({ action, content: { name: "dropped" } }) },
      };
      await using pair = await connectPair({ revision, client }, (server) => {
        server.addTool({ name: "look" }, async (_, ctx) =>
          JSON.stringify(await ctx.elicit({ message: "?", requestedSchema: nameForm })),
        );
        server.addTool({ name: "insist" }, async (_, ctx) => {
          return accepted(await ctx.elicit({ message: "?", requestedSchema: nameForm })).name;
        });
      });
      expect(textOf(await pair.session.callTool({ name: "look" }))).toBe(JSON.stringify({ action }));
      const insisted = await pair.session.callTool({ name: "insist" });
      expect(insisted.isError).toBe(true);
      expect(textOf(insisted)).toContain(action === "decline" ? "declined" : "cancelled");
    }
  },
);

test.each(bothEras)("a step runs once however often the handler runs, in %s", async (revision) => {
  const charged: number[] = [];
  let runs = 0;
  await using pair = await connectPair({ revision, client: answersAll }, (server) => {
    server.addTool({ name: "pay" }, async (_, ctx) => {
      runs++;
      const { id, list } = await ctx.step("charge", () => {
        charged.push(1);
        return { id: 7, list: [1] };
      });
      list.push(2);
      const nothing = await ctx.step("nothing", () => undefined);
      await ctx.elicit({ message: "1", requestedSchema: nameForm });
      await ctx.elicit({ message: "2", requestedSchema: nameForm });
      return JSON.stringify([id, list, nothing === undefined]);
    });
  });
  expect(textOf(await pair.session.callTool({ name: "pay" }))).toBe("[7,[1,2],true]");
  expect(charged).toEqual([1]);
  expect(runs).toBe(eraOf(revision) === "modern" ? 3 : 1);
});

test.each(bothEras)(
  "a step that throws is not remembered and its error reaches the handler, in %s",
  async (revision) => {
    let tries = 0;
    await using pair = await connectPair({ revision, client: answersAll }, (server) => {
      server.addTool({ name: "flaky" }, async (_, ctx) => {
        const tried = await ctx
          .step("try", () => {
            tries++;
            if (tries === 1) {
              throw new TypeError("not yet");
            }
            return "done";
          })
          .catch((error: unknown) => (error instanceof TypeError ? error.message : "?"));
        await ctx.elicit({ message: "1", requestedSchema: nameForm });
        return tried;
      });
    });
    expect(textOf(await pair.session.callTool({ name: "flaky" }))).toBe(
      eraOf(revision) === "modern" ? "done" : "not yet",
    );
  },
);

test.each(bothEras)("what a step returns must be plain JSON, in %s", async (revision) => {
  await using pair = await connectPair({ revision, client: answersAll }, (server) => {
    server.addTool({ name: "odd" }, async (_, ctx) => {
      const odd: unknown[] = [new Date(), Number.NaN, 1n, new Map(), { f: () => 1 }, [undefined]];
      const outcomes = await Promise.allSettled(odd.map((value, i) => ctx.step(`odd-${i}`, () => value)));
      return outcomes
        .map((outcome) => outcome.status === "rejected" && isLocalError(outcome.reason, "NOT_SERIALIZABLE"))
        .join();
    });
  });
  expect(textOf(await pair.session.callTool({ name: "odd" }))).toBe("true,true,true,true,true,true");
});

test.each(bothEras)(
  "two inputs or steps with one key are an error that can be caught, in %s",
  async (revision) => {
    await using pair = await connectPair({ revision, client: answersAll }, (server) => {
      server.addTool({ name: "twice" }, async (_, ctx) => {
        const ask = (): Promise<unknown> =>
          ctx.elicit({ message: "?", requestedSchema: nameForm }, { key: "same" });
        const [, second] = await Promise.allSettled([ask(), ask()]);
        await ctx.step("same", () => 1);
        const [step] = await Promise.allSettled([ctx.step("same", () => 2)]);
        const bad = await ctx
          .elicit({ message: "?", requestedSchema: nameForm }, { key: "a#1" })
          .catch((e: unknown) => e);
        return [
          second?.status === "rejected" && isMcpError(second.reason, "DUPLICATE_KEY"),
          step?.status === "rejected" && isMcpError(step.reason, "DUPLICATE_KEY"),
          isMcpError(bad, "INVALID_DEFINITION"),
        ].join();
      });
    });
    expect(textOf(await pair.session.callTool({ name: "twice" }))).toBe("true,true,true");
  },
);

test("a missing capability is a result in the legacy era and -32021 in the modern one (R-143, T-57)", async () => {
  const ask = {
    form: (ctx: RequestContext) => ctx.elicit({ message: "?", requestedSchema: nameForm }),
    url: (ctx: RequestContext) => ctx.elicit({ mode: "url", message: "?", url: "https://example.com/" }),
    sample: (ctx: RequestContext) => ctx.sample({ maxTokens: 1, messages: [] }),
    tools: (ctx: RequestContext) => ctx.sample({ maxTokens: 1, messages: [], tools: [] }),
    roots: (ctx: RequestContext) => ctx.listRoots(),
  };
  const required = {
    form: { elicitation: { form: {} } },
    url: { elicitation: { url: {} } },
    sample: { sampling: {} },
    tools: { sampling: { tools: {} } },
    roots: { roots: {} },
  };
  for (const kind of Object.keys(ask) as (keyof typeof ask)[]) {
    const client: ClientOptions = kind === "tools" ? { sampling: answersAll.sampling } : {};
    for (const revision of bothEras) {
      await using pair = await connectPair({ revision, client }, (server) => {
        server.addTool({ name: "ask" }, async (_, ctx) => JSON.stringify(await ask[kind](ctx)));
        server.addTool({ name: "fall-back" }, async (_, ctx) => {
          const error = await ask[kind](ctx).catch((reason: unknown) => reason);
          return String(isMcpError(error, "CAPABILITY_MISSING"));
        });
      });
      const called = pair.session.callTool({ name: "ask" });
      if (eraOf(revision) === "modern") {
        await expect(called).rejects.toMatchObject({
          code: -32021,
          data: { requiredCapabilities: required[kind] },
        });
      } else {
        const result = await called;
        expect(result.isError).toBe(true);
        expect(textOf(result)).toContain(JSON.stringify(required[kind]));
      }
      expect(textOf(await pair.session.callTool({ name: "fall-back" }))).toBe("true");
      expect(pair.errors).toEqual([]);
    }
  }
});

test.each(bothEras)(
  "an answer that does not fit the form does not reach the handler in %s (R-624)",
  async (revision) => {
    const client: ClientOptions = {
      elicitation: { form: () => ({ action: "accept", content: { name: 5 } }) },
    };
    let heard: unknown;
    await using pair = await connectPair({ revision, client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) => {
        heard = await ctx.elicit({ message: "?", requestedSchema: nameForm });
        return "";
      });
    });
    const called = pair.session.callTool({ name: "ask" });
    if (eraOf(revision) === "modern") {
      await expect(called).rejects.toMatchObject({ code: "INPUT_FAILED" });
    } else {
      expect((await called).isError).toBe(true);
    }
    expect(heard).toBeUndefined();
  },
);

test("what a legacy client answers with an error reaches the handler as INPUT_FAILED, not as an answer of its own", async () => {
  const client: ClientOptions = {
    sampling: {
      createMessage: () => {
        throw new RpcError(-1, "User rejected sampling request");
      },
    },
  };
  await using legacy = await connectPair({ revision: legacyRevision, client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) =>
      JSON.stringify(await ctx.sample({ maxTokens: 1, messages: [] })),
    );
  });
  const result = await legacy.session.callTool({ name: "ask" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("-1: User rejected sampling request");

  await using modern = await connectPair({ client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) =>
      JSON.stringify(await ctx.sample({ maxTokens: 1, messages: [] })),
    );
  });
  await expect(modern.session.callTool({ name: "ask" })).rejects.toMatchObject({
    code: "INPUT_FAILED",
    cause: { code: -1 },
  });
});

test.each(bothEras)(
  "inputRequired by hand, with its state and the answers, works in %s (R-658, R-659)",
  async (revision) => {
    const seen: unknown[] = [];
    await using pair = await connectPair({ revision, client: answersAll }, (server) => {
      server.addTool({ name: "by-hand" }, (_, ctx) => {
        seen.push([ctx.inputResponses, ctx.requestState]);
        const round = (ctx.requestState as { round: number } | undefined)?.round ?? 0;
        return round === 2
          ? JSON.stringify(ctx.inputResponses)
          : inputRequired({
              inputRequests: {
                who: {
                  method: "elicitation/create",
                  params: {
                    message: "Who?",
                    requestedSchema: { ...nameForm, required: [...nameForm.required] },
                  },
                },
                roots: { method: "roots/list" },
              },
              requestState: { round: round + 1 },
            });
      });
    });
    const answers = {
      who: { action: "accept", content: { name: "Ada" } },
      roots: { roots: [{ uri: "file:///work", name: "work" }] },
    };
    const result = await pair.session.callTool({ name: "by-hand" });
    expect(JSON.parse(textOf(result))).toEqual(answers);
    expect(seen).toEqual([
      [undefined, undefined],
      [answers, { round: 1 }],
      [answers, { round: 2 }],
    ]);
  },
);

test.each(bothEras)("a question by hand that cannot be put fails with the reason in %s", async (revision) => {
  await using pair = await connectPair({ revision }, (server) => {
    const roots = { method: "roots/list" } as const;
    server.addTool({ name: "sync" }, () => inputRequired({ inputRequests: { roots } }));
    server.addTool({ name: "async" }, async () =>
      Promise.resolve(inputRequired({ inputRequests: { roots } })),
    );
  });
  for (const name of ["sync", "async"]) {
    await expect(pair.session.callTool({ name })).rejects.toMatchObject(
      eraOf(revision) === "modern"
        ? { code: -32021, data: { requiredCapabilities: { roots: {} } } }
        : { code: -32603, message: expect.stringContaining("roots") as string },
    );
  }
  expect(pair.errors).toEqual([]);
});

test.each(bothEras)("a handler that asks by hand for ever is stopped, in %s (R-655)", async (revision) => {
  await using pair = await connectPair(
    {
      revision,
      client: { limits: { maxRounds: 50, repeatDelayMs: 0 } },
      server: { limits: { maxRounds: 3 } },
    },
    (server) => {
      server.addTool({ name: "again" }, () => inputRequired({ requestState: 1 }));
    },
  );
  await expect(pair.session.callTool({ name: "again" })).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining("maxRounds") as string,
  });
});

test.each(bothEras)(
  "a cancelled request ends its questions with the client's reason, in %s",
  async (revision) => {
    const asked = deferred<AbortSignal>();
    const ended = deferred<unknown>();
    const client: ClientOptions = {
      elicitation: {
        form: (_, { signal }) => {
          asked.resolve(signal);
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        },
      },
    };
    await using pair = await connectPair({ revision, client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) => {
        try {
          await ctx.elicit({ message: "?", requestedSchema: nameForm });
        } catch (error) {
          ended.resolve(error);
          throw error;
        }
      });
    });
    const controller = new AbortController();
    const called = pair.session.callTool({ name: "ask" }, { signal: controller.signal });
    const signal = await asked.promise;
    const reason = new Error("Never mind");
    controller.abort(reason);
    await expect(called).rejects.toBe(reason);
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    const error = await ended.promise;
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).name).toBe(eraOf(revision) === "modern" ? "Suspension" : "AbortError");
  },
);

test.each(bothEras)("a lost connection ends the handlers on both sides, in %s", async (revision) => {
  const asked = deferred<AbortSignal>();
  const client: ClientOptions = {
    elicitation: {
      form: (_, { signal }) => {
        asked.resolve(signal);
        return new Promise(() => {});
      },
    },
  };
  const pair = await connectPair({ revision, client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) => {
      await ctx.elicit({ message: "?", requestedSchema: nameForm });
    });
  });
  const called = pair.session.callTool({ name: "ask" });
  const signal = await asked.promise;
  await Promise.all([
    expect(called).rejects.toMatchObject({ code: "CONNECTION_CLOSED" }),
    pair.server.close({ drainMs: 0 }),
    pair.session.close({ drainMs: 0 }),
  ]);
  expect(signal.aborted).toBe(true);
});

test.each(["2024-11-05", "2025-03-26"] as const)(
  "in %s roots and sampling can be asked for, the user cannot",
  async (revision) => {
    await using pair = await connectPair({ revision, client: answersAll }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) => {
        const roots = await ctx.listRoots();
        const { model } = await ctx.sample({ maxTokens: 1, messages: [] });
        const error = await ctx
          .elicit({ message: "?", requestedSchema: nameForm })
          .catch((reason: unknown) => reason);
        return [roots.length, model, isMcpError(error, "NOT_IN_REVISION")].join();
      });
      server.addTool({ name: "let-pass" }, async (_, ctx) => {
        await ctx.elicit({ message: "?", requestedSchema: nameForm });
        return "asked";
      });
    });
    expect(textOf(await pair.session.callTool({ name: "ask" }))).toBe("1,echo,true");
    expect(await pair.session.callTool({ name: "let-pass" })).toMatchObject({
      isError: true,
      content: [
        {
          text: `Protocol version ${revision} has no request elicitation/create for servers to send.`,
        },
      ],
    });
  },
);

test("a legacy question ends with its own signal or time limit, and the client is told", async () => {
  const ends: unknown[] = [];
  const ended = deferred();
  const client: ClientOptions = {
    elicitation: {
      form: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            ends.push(signal.reason);
            if (ends.length === 2) {
              ended.resolve();
            }
            reject(signal.reason);
          });
        }),
    },
  };
  await using pair = await connectPair({ revision: legacyRevision, client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) => {
      const stop = new AbortController();
      const reason = new Error("changed my mind");
      const question = { message: "?", requestedSchema: nameForm };
      const stopped = ctx.elicit(question, { signal: stop.signal });
      stop.abort(reason);
      const never = ctx.elicit(question, { signal: AbortSignal.abort(reason) });
      const timed = ctx.elicit(question, { timeoutMs: 1 });
      const outcomes = await Promise.allSettled([stopped, never, timed]);
      const [first, second, third] = outcomes.map((outcome) =>
        outcome.status === "rejected" ? (outcome.reason as unknown) : undefined,
      );
      return [first === reason, second === reason, isLocalError(third, "TIMEOUT")].join();
    });
  });
  expect(textOf(await pair.session.callTool({ name: "ask" }))).toBe("true,true,true");
  await ended.promise;
  expect(ends).toHaveLength(2);
});
