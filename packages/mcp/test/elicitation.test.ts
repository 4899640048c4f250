import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import {
  isMcpError,
  type ClientOptions,
  type FormParams,
  type RequestContext,
  type UrlParams,
} from "@tenon/mcp";
import { eraOf, type ElicitRequestFormParams, type Revision } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, expectTypeOf, test } from "vitest";

import { askingRevisions, connectPair, textOf, type Pair } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

const everyField = {
  type: "object",
  properties: {
    text: { type: "string", default: "t", maxLength: 5 },
    mail: { type: "string", format: "email" },
    count: { type: "integer", minimum: 1, default: 2 },
    yes: { type: "boolean", default: true },
    plain: { type: "string", enum: ["a", "b"], default: "b" },
    titled: { type: "string", oneOf: [{ const: "x", title: "Ex" }], default: "x" },
    named: { type: "string", enum: ["n"], enumNames: ["En"] },
  },
  required: ["text"],
} as const;

const several = {
  type: "object",
  properties: {
    many: { type: "array", items: { type: "string", enum: ["p", "q"] }, default: ["p"] },
    titledMany: { type: "array", items: { anyOf: [{ const: "r", title: "Ar" }] }, maxItems: 1 },
  },
} as const;

/** A server whose tool asks, and answers with the outcome or the code of the error. */
function asking(
  revision: Revision,
  client: ClientOptions,
  ask: (ctx: RequestContext) => Promise<unknown>,
): Promise<Pair> {
  return connectPair({ revision, client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) => {
      const outcome = await ask(ctx).catch((error: unknown) => {
        if (isMcpError(error)) {
          return error.code;
        }
        throw error;
      });
      return JSON.stringify(outcome);
    });
  });
}

async function outcomeOf(pair: Pair): Promise<unknown> {
  return JSON.parse(textOf(await pair.session.callTool({ name: "ask" })));
}

test.each(askingRevisions)(
  "forms in %s: both sides fill in defaults and check (R-622, R-624, S-227, T-45)",
  async (revision) => {
    let shown: ElicitRequestFormParams | undefined;
    const client: ClientOptions = {
      elicitation: {
        form: (params) => {
          shown = params;
          // A revision without defaults on text needs what is required from the user.
          const text = revision === "2025-06-18" ? { text: "t" } : {};
          return { action: "accept", content: { mail: "a@example.com", ...text } };
        },
      },
    };
    await using pair = await asking(revision, client, (ctx) =>
      ctx.elicit({ message: "?", requestedSchema: everyField }),
    );
    expect(await outcomeOf(pair)).toEqual({
      action: "accept",
      content: { text: "t", mail: "a@example.com", count: 2, yes: true, plain: "b", titled: "x" },
    });
    if (revision !== "2025-06-18") {
      expect(shown).toEqual({ mode: "form", message: "?", requestedSchema: everyField });
      return;
    }
    expect(shown).toEqual({
      message: "?",
      requestedSchema: {
        ...everyField,
        properties: {
          ...everyField.properties,
          text: { type: "string", maxLength: 5 },
          count: { type: "integer", minimum: 1 },
          plain: { type: "string", enum: ["a", "b"] },
          titled: { type: "string", enum: ["x"], enumNames: ["Ex"] },
        },
      },
    });
  },
);

test.each(askingRevisions)("several choices in one field in %s (R-621)", async (revision) => {
  const client: ClientOptions = {
    elicitation: { form: () => ({ action: "accept", content: { titledMany: ["r"] } }) },
  };
  await using pair = await asking(revision, client, (ctx) =>
    ctx.elicit({ message: "?", requestedSchema: several }),
  );
  expect(await outcomeOf(pair)).toEqual(
    revision === "2025-06-18"
      ? "NOT_IN_REVISION"
      : { action: "accept", content: { many: ["p"], titledMany: ["r"] } },
  );
});

test.each(bothEras)("content is meaningful on accept only, in %s (R-623, S-228)", async (revision) => {
  const client: ClientOptions = {
    elicitation: { form: () => ({ action: "decline", content: { text: 5, other: "x" } }) },
  };
  await using pair = await asking(revision, client, (ctx) =>
    ctx.elicit({ message: "?", requestedSchema: everyField }),
  );
  expect(await outcomeOf(pair)).toEqual({ action: "decline" });
});

test.each(bothEras)("what the user's side fills in wrongly goes nowhere, in %s (R-624)", async (revision) => {
  const wrong: object[] = [
    { text: "too long" },
    { mail: "no mail" },
    { count: 0 },
    { count: 1.5 },
    { plain: "c" },
    { yes: "yes" },
    { extra: { deep: 1 } },
    { extra: [1] },
  ];
  for (const content of wrong) {
    const client: ClientOptions = {
      elicitation: { form: () => ({ action: "accept", content: content as never }) },
    };
    await using pair = await asking(revision, client, (ctx) =>
      ctx.elicit({ message: "?", requestedSchema: everyField }),
    );
    const called = pair.session.callTool({ name: "ask" });
    if (eraOf(revision) === "modern") {
      await expect(called).rejects.toMatchObject({ code: "INPUT_FAILED", cause: { code: "INVALID_RESULT" } });
    } else {
      expect(textOf(await called)).toBe('"INPUT_FAILED"');
    }
  }
});

test("forms that are no forms are refused by the server before anything is sent (R-620)", async () => {
  let shown = 0;
  const client: ClientOptions = {
    elicitation: {
      form: () => {
        shown++;
        return { action: "cancel" };
      },
    },
  };
  const schemas: unknown[] = [
    undefined,
    { type: "string" },
    { type: "object" },
    { type: "object", properties: { nested: { type: "object", properties: {} } } },
    { type: "object", properties: { list: { type: "array", items: { type: "string" } } } },
    { type: "object", properties: { odd: { type: "string", minLength: -1 } } },
    { type: "object", properties: { odd: { type: "string", format: "hostname" } } },
  ];
  for (const requestedSchema of schemas) {
    await using pair = await asking(modernRevision, client, (ctx) =>
      ctx.elicit({ message: "?", requestedSchema } as FormParams),
    );
    expect(await outcomeOf(pair)).toBe("INVALID_DEFINITION");
  }
  expect(shown).toBe(0);
});

test("forms that are no forms are refused by the client, too; without a mode it is a form (R-619)", async () => {
  await using wire = await openServerWire(legacyRevision, { elicitation: "cancel" });
  const form = { message: "?", requestedSchema: { type: "object", properties: {} } };
  const asked: [object, number | undefined][] = [
    [form, undefined],
    [{ ...form, mode: "form" }, undefined],
    [{ ...form, message: undefined }, -32602],
    [{ message: "?" }, -32602],
    [{ message: "?", requestedSchema: { type: "object", properties: { a: { type: "object" } } } }, -32602],
    [{ message: "?", mode: "url", url: "not a url" }, -32602],
    [{ message: "?", mode: "url" }, -32602],
    [{ ...form, mode: "voice" }, -32602],
    [
      {
        ...form,
        requestedSchema: { ...form.requestedSchema, properties: { a: { type: "string", pattern: "(" } } },
      },
      -32602,
    ],
  ];
  for (const [id, [params, code]] of asked.entries()) {
    await wire.send({ id, method: "elicitation/create", params });
    const answer = await wire.next();
    expect([id, answer.error?.code]).toEqual([id, code]);
    if (code === undefined) {
      expect(answer.result).toEqual({ action: "cancel" });
    }
  }
});

test.each(askingRevisions)("a web page in %s (R-627, R-628, R-632)", async (revision) => {
  let shown: unknown;
  const client: ClientOptions = {
    elicitation: {
      form: () => ({ action: "cancel" }),
      url: (params) => {
        shown = params;
        return { action: "accept", content: { dropped: true } };
      },
    },
  };
  const params: UrlParams = { mode: "url", message: "Sign in", url: "https://example.com/x?y" };
  await using pair = await asking(revision, client, (ctx) => ctx.elicit(params));
  if (revision === "2025-06-18") {
    expect(await outcomeOf(pair)).toBe("NOT_IN_REVISION");
    return;
  }
  expect(await outcomeOf(pair)).toEqual({ action: "accept" });
  expect(shown).toEqual(
    revision === "2025-11-25" ? { ...params, elicitationId: expect.any(String) as string } : params,
  );
});

test("the end of what began on a page is told to the client in 2025-11-25 (R-633)", async () => {
  const completed: string[] = [];
  const client: ClientOptions = {
    elicitation: {
      url: () => ({ action: "accept" }),
      onComplete: (id, { session }) => completed.push(`${id} ${session?.serverInfo?.name ?? ""}`),
    },
  };
  await using pair = await connectPair({ revision: "2025-11-25", client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) => {
      await ctx.elicit({ mode: "url", message: "?", url: "https://example.com/", elicitationId: "e1" });
      await ctx.session?.notify("notifications/elicitation/complete", { elicitationId: "e1" });
      return "";
    });
  });
  await pair.session.callTool({ name: "ask" });
  expect(completed).toEqual(["e1 pair-server"]);
});

test.each(bothEras)(
  '"cancel" declares that asking is possible, and answers cancel, in %s (S-225, S-226)',
  async (revision) => {
    await using pair = await asking(revision, { elicitation: "cancel" }, (ctx) =>
      Promise.all([
        ctx.elicit({ message: "?", requestedSchema: everyField }),
        ctx.elicit({ mode: "url", message: "?", url: "https://example.com/" }),
      ]),
    );
    expect(await outcomeOf(pair)).toEqual([{ action: "cancel" }, { action: "cancel" }]);
  },
);

test.each(["", "sign-in", "/sign-in", "https://", "http://a b/"])(
  "the URL %j of a web page is rejected before a client gets it (R-627)",
  async (url) => {
    let shown = 0;
    const show = (): { action: "accept" } => {
      shown++;
      return { action: "accept" };
    };
    const client: ClientOptions = { elicitation: { form: () => ({ action: "cancel" }), url: show } };
    await using pair = await asking(legacyRevision, client, (ctx) =>
      ctx.elicit({ mode: "url", message: "Sign in", url }),
    );
    expect([await outcomeOf(pair), shown]).toEqual(["INVALID_DEFINITION", 0]);
  },
);

test.each(bothEras)(
  "a client passes a URL on as it is, fetches nothing, and answers what the user did, in %s (R-626)",
  async (revision) => {
    let fetched = 0;
    const http = createServer((_, response) => {
      fetched++;
      response.end();
    });
    await once(http.listen(0, "127.0.0.1"), "listening");
    const { port } = http.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/sign-in?next=%2F#top`;
    const actions = ["accept", "decline", "cancel"] as const;
    const shown: unknown[] = [];
    const client: ClientOptions = {
      elicitation: {
        form: () => ({ action: "cancel" }),
        url: (params, { session }) => {
          shown.push([params.url, session?.serverInfo?.name]);
          return { action: actions[shown.length - 1] ?? "cancel" };
        },
      },
    };
    await using pair = await asking(revision, client, (ctx) =>
      ctx.elicit({ mode: "url", message: "?", url }),
    );
    for (const action of actions) {
      expect(await outcomeOf(pair)).toEqual({ action });
    }
    expect(shown).toEqual(actions.map(() => [url, "pair-server"]));
    expect(fetched).toBe(0);
    http.close();
  },
);

test.each(bothEras)("the handler knows which server asks, in %s (R-626, S-229)", async (revision) => {
  const names: unknown[] = [];
  const client: ClientOptions = {
    elicitation: {
      form: (_, { session }) => {
        names.push(session?.serverInfo?.name);
        return { action: "cancel" };
      },
    },
  };
  await using pair = await asking(revision, client, (ctx) =>
    ctx.elicit({ message: "?", requestedSchema: everyField }),
  );
  await outcomeOf(pair);
  expect(names).toEqual(["pair-server"]);
});

test.each(bothEras)(
  "middleware of the client limits how often it is asked, in %s (R-631)",
  async (revision) => {
    let asked = 0;
    const client: ClientOptions = {
      elicitation: {
        form: () => {
          asked++;
          return { action: "decline" };
        },
      },
    };
    await using pair = await asking(revision, client, (ctx) =>
      ctx.elicit({ message: "?", requestedSchema: everyField }),
    );
    let left = 2;
    pair.client.addReceivingMiddleware((next) => (request) => {
      if (request.method === "elicitation/create" && left-- <= 0) {
        return { action: "cancel" };
      }
      return next(request);
    });
    const outcomes = [await outcomeOf(pair), await outcomeOf(pair), await outcomeOf(pair)];
    expect(outcomes).toEqual([{ action: "decline" }, { action: "decline" }, { action: "cancel" }]);
    expect(asked).toBe(2);
  },
);

test("the type of the content follows from the form", () => {
  const ask = (ctx: RequestContext) => ctx.elicit({ message: "?", requestedSchema: everyField });
  expectTypeOf(ask).returns.resolves.toEqualTypeOf<
    | {
        readonly action: "accept";
        readonly content: {
          text: string;
          count: number;
          yes: boolean;
          plain: "a" | "b";
          titled: "x";
          mail?: string;
          named?: "n";
        };
      }
    | { readonly action: "decline" | "cancel"; readonly content?: undefined }
  >();
});

test.each(["password", "Api-Key", "access_token", "creditCardNumber", "CVV"])(
  "a form that asks for %s is refused before anything is sent; a page may be opened for it (R-625)",
  async (name) => {
    const asked: unknown[] = [];
    await using pair = await connectPair(
      {
        client: {
          elicitation: {
            form: () => (asked.push("form"), { action: "cancel" }),
            url: () => (asked.push("url"), { action: "accept" }),
          },
        },
      },
      (server) => {
        server.addTool({ name: "form" }, async (_, ctx) => {
          const requestedSchema = { type: "object", properties: { [name]: { type: "string" } } } as const;
          return ctx.elicit({ message: "?", requestedSchema }).then(
            () => "asked",
            (error: unknown) => String((error as { code?: unknown }).code),
          );
        });
        server.addTool({ name: "page" }, async (_, ctx) => {
          const url = "https://bank.example/in";
          return (await ctx.elicit({ mode: "url", message: "Sign in", url })).action;
        });
      },
    );
    expect(textOf(await pair.session.callTool({ name: "form" }))).toBe("INVALID_DEFINITION");
    expect(textOf(await pair.session.callTool({ name: "page" }))).toBe("accept");
    expect(asked).toEqual(["url"]);
  },
);

test("that a page is finished is told to nobody else; ids that are not known do no harm (R-633)", async () => {
  const completed: string[] = [];
  const listener: ClientOptions = {
    elicitation: { url: () => ({ action: "accept" }), onComplete: (id) => completed.push(id) },
  };
  await using one = await connectPair({ revision: legacyRevision, client: listener }, () => {});
  await using deaf = await connectPair(
    { revision: legacyRevision, client: { elicitation: { url: () => ({ action: "accept" }) } } },
    () => {},
  );
  const method = "notifications/elicitation/complete";
  for (const pair of [one, deaf]) {
    const [session] = pair.server.sessions();
    for (const params of [{ elicitationId: "unknown" }, { elicitationId: 7 }, {}]) {
      await session?.notify(method, params);
    }
    await pair.session.ping();
    expect(pair.errors).toEqual([]);
  }
  expect(completed).toEqual(["unknown"]);
});
