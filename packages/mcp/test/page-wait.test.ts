import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import {
  McpErrorCode,
  urlElicitationRequired,
  type ClientLimits,
  type ClientOptions,
  type Server,
} from "@tenon/mcp";
import type { ElicitRequestURLParams, ElicitResult } from "@tenon/protocol";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { limitsOf } from "../src/base/limits.ts";
import { resumeAfterPages, type Blocked } from "../src/feature/elicitation/client/resume.lazy.ts";
import { clientLimits } from "../src/request/client/limits.ts";
import { connectPair, textOf, type Pair } from "./pair.ts";

const ids = ["page-a", "page-b"] as const;
const pages = ids.map((elicitationId) => ({
  mode: "url" as const,
  message: `Open ${elicitationId}`,
  url: `https://example.com/${elicitationId}`,
  elicitationId,
}));

/** A tool that works once all pages are finished, and how often it was called. */
function blocked(): { setUp: (server: Server) => void; readonly finished: Set<string>; calls: () => number } {
  let calls = 0;
  const finished = new Set<string>();
  return {
    finished,
    calls: () => calls,
    setUp(server) {
      server.addTool({ name: "t" }, (_, ctx) => {
        calls++;
        return finished.size < pages.length ? urlElicitationRequired(ctx, pages) : "done";
      });
    },
  };
}

/** A client that waits for pages, and asks its user like that. */
function waiting(
  url: (page: ElicitRequestURLParams, signal: AbortSignal) => ElicitResult | Promise<ElicitResult>,
  limits: ClientLimits = { pageWaitMs: 600_000 },
): ClientOptions {
  return { limits, elicitation: { url: (page, { signal }) => url(page, signal) } };
}

async function tell({ server }: Pair, elicitationId: string): Promise<void> {
  for (const session of server.sessions()) {
    await session.notify("notifications/elicitation/complete", { elicitationId });
  }
}

const failure = async (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => undefined,
    (reason: unknown) => reason,
  );

test("a client that waits for pages has them opened one by one, and sends the request again when all are finished (R-628, R-632, R-633)", async () => {
  const { setUp, finished, calls } = blocked();
  const opened: ElicitRequestURLParams[] = [];
  const client = waiting((page) => {
    opened.push(page);
    if (opened.length === pages.length) {
      // The first is told before anybody can have begun to wait, the second later; ids that nobody
      // knows mean nothing.
      queueMicrotask(() => {
        for (const id of ids) {
          finished.add(id);
        }
        void tell(pair, "unknown").then(() => tell(pair, ids[1]));
      });
    } else {
      void tell(pair, ids[0]);
    }
    return { action: "accept" };
  });
  await using pair = await connectPair({ revision: legacyRevision, client }, setUp);
  expect(textOf(await pair.session.callTool({ name: "t" }))).toBe("done");
  expect(opened).toEqual(pages);
  expect(calls()).toBe(2);
  // What is finished stays so.
  finished.clear();
  expect(await failure(pair.session.callTool({ name: "t" }))).toMatchObject({
    code: McpErrorCode.UrlElicitationRequired,
  });
  expect(calls()).toBe(4);
});

test("when the server does not say that the pages are finished, the request is sent again after the time to wait (R-633)", async () => {
  for (const isFinished of [true, false]) {
    const { setUp, finished, calls } = blocked();
    const client = waiting(
      ({ elicitationId = "" }) => {
        if (isFinished) {
          finished.add(elicitationId);
        }
        return { action: "accept" };
      },
      { pageWaitMs: 1 },
    );
    await using pair = await connectPair({ revision: legacyRevision, client }, setUp);
    const outcome = await pair.session.callTool({ name: "t" }).then(textOf, (error: unknown) => error);
    if (isFinished) {
      expect(outcome).toBe("done");
    } else {
      expect(outcome).toMatchObject({ code: McpErrorCode.UrlElicitationRequired });
    }
    expect(calls()).toBe(2);
  }
});

test.each(["decline", "cancel"] as const)(
  "on %s the request fails as it did, and no further page is shown",
  async (action) => {
    const { setUp, calls } = blocked();
    const opened: unknown[] = [];
    const client = waiting((page) => {
      opened.push(page);
      return { action };
    });
    await using pair = await connectPair({ revision: legacyRevision, client }, setUp);
    expect(await failure(pair.session.callTool({ name: "t" }))).toMatchObject({
      code: McpErrorCode.UrlElicitationRequired,
      data: { elicitations: pages },
    });
    expect([opened.length, calls()]).toEqual([1, 1]);
  },
);

test("autoFulfil: false leaves the pages to the caller; too many of them, or a handler that fails, are errors", async () => {
  const { setUp, calls } = blocked();
  const opened: unknown[] = [];
  const failing = (page: unknown): never => {
    opened.push(page);
    throw new Error("no browser");
  };
  await using pair = await connectPair({ revision: legacyRevision, client: waiting(failing) }, setUp);
  expect(await failure(pair.session.callTool({ name: "t" }, { autoFulfil: false }))).toMatchObject({
    code: McpErrorCode.UrlElicitationRequired,
  });
  expect(opened).toEqual([]);
  expect(await failure(pair.session.callTool({ name: "t" }))).toMatchObject({ code: "INPUT_FAILED" });
  const few = waiting(failing, { pageWaitMs: 1, maxInputs: 1 });
  await using limited = await connectPair({ revision: legacyRevision, client: few }, setUp);
  expect(await failure(limited.session.callTool({ name: "t" }))).toMatchObject({ code: "LIMIT_EXCEEDED" });
  expect([opened.length, calls()]).toEqual([1, 3]);
});

test("other errors pass, and a client that waits for pages gets other results as ever", async () => {
  await using pair = await connectPair(
    { revision: legacyRevision, client: waiting(() => ({ action: "accept" })) },
    (server) => {
      server.addTool({ name: "fine" }, () => "fine");
    },
  );
  expect(textOf(await pair.session.callTool({ name: "fine" }))).toBe("fine");
  expect(await failure(pair.session.callTool({ name: "unknown" }))).toMatchObject({ code: -32602 });
});

test("the wait ends with the caller's signal, and with the session", async () => {
  const { setUp, calls } = blocked();
  for (const end of ["signal", "session"] as const) {
    const stop = new AbortController();
    let opened = 0;
    let allOpened = (): void => undefined;
    const shown = new Promise<void>((resolve) => {
      allOpened = resolve;
    });
    const client = waiting(() => {
      if (++opened === pages.length) {
        allOpened();
      }
      return { action: "accept" };
    });
    await using pair = await connectPair({ revision: legacyRevision, client }, setUp);
    const outcome = failure(pair.session.callTool({ name: "t" }, { signal: stop.signal }));
    await shown;
    const reason = new Error("enough");
    if (end === "signal") {
      stop.abort(reason);
    } else {
      await pair.session.close();
    }
    if (end === "signal") {
      expect(await outcome).toBe(reason);
    } else {
      expect(await outcome).toMatchObject({ code: "CONNECTION_CLOSED" });
    }
  }
  expect(calls()).toBe(2);
});

test("the wait goes by the clock of the client", async () => {
  const { setUp, calls } = blocked();
  const clock = createVirtualClock();
  let opened = 0;
  let allOpened = (): void => undefined;
  const shown = new Promise<void>((resolve) => {
    allOpened = resolve;
  });
  const client = waiting(() => {
    if (++opened === pages.length) {
      allOpened();
    }
    return { action: "accept" };
  });
  await using pair = await connectPair({ revision: legacyRevision, client: { ...client, clock } }, setUp);
  const before = clock.timers;
  const outcome = failure(pair.session.callTool({ name: "t" }));
  await shown;
  await expect.poll(() => clock.timers).toBeGreaterThan(before);
  clock.advance(600_000);
  expect(await outcome).toMatchObject({ code: McpErrorCode.UrlElicitationRequired });
  expect(calls()).toBe(2);
});

function directly(own: Partial<Blocked>): Blocked {
  return {
    method: "tools/call",
    error: new Error("blocked"),
    pages: pages.slice(0, 1),
    visits: { finished: new Set(), waiting: new Set() },
    limits: limitsOf({ pageWaitMs: 600_000 }, clientLimits),
    clock: createVirtualClock(),
    signal: new AbortController().signal,
    open: () => ({ action: "accept" }),
    send: () => Promise.resolve({}),
    ...own,
  };
}

test("a page that cannot be opened is one failure, whether it is told by an exception or a rejection", async () => {
  for (const open of [
    () => {
      throw new Error("no browser");
    },
    () => Promise.reject(new Error("no browser")),
  ]) {
    expect(await failure(resumeAfterPages(directly({ open })))).toMatchObject({ code: "INPUT_FAILED" });
  }
});

test("nothing waits for pages that nobody wants any more when the wait would begin", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const visits = { finished: new Set<string>(), waiting: new Set<() => void>() };
  const open = (): ElicitResult => ({
    // Read after the user has agreed, just before the wait.
    get action() {
      stop.abort(new Error("enough"));
      return "accept" as const;
    },
  });
  const resuming = resumeAfterPages(directly({ clock, visits, open, signal: stop.signal }));
  expect(await failure(resuming)).toMatchObject({ message: "enough" });
  expect([clock.timers, visits.waiting.size]).toEqual([0, 0]);
});
