import { expect, test } from "vitest";

import { changeNotifications, findMethod, isRepeatable, methodTables, revisions } from "../src/index.ts";
import type { MethodInfo, Revision } from "../src/index.ts";

const [r2411, r2503, r2506, r2511, r2607] = revisions;
const legacy = [r2411, r2503, r2506, r2511];
const all = [...legacy, r2607];

/**
 * Who sends what in which revision, written down from the specification's pages, not from its
 * schema.
 */
const requests: { readonly [method: string]: readonly [sentBy: string, revisions: readonly Revision[]] } = {
  initialize: ["client", legacy],
  ping: ["either", legacy],
  "server/discover": ["client", [r2607]],
  "tools/list": ["client", all],
  "tools/call": ["client", all],
  "resources/list": ["client", all],
  "resources/templates/list": ["client", all],
  "resources/read": ["client", all],
  "resources/subscribe": ["client", legacy],
  "resources/unsubscribe": ["client", legacy],
  "subscriptions/listen": ["client", [r2607]],
  "prompts/list": ["client", all],
  "prompts/get": ["client", all],
  "completion/complete": ["client", all],
  "logging/setLevel": ["client", legacy],
  "sampling/createMessage": ["server", all],
  "elicitation/create": ["server", [r2506, r2511, r2607]],
  "roots/list": ["server", all],
  "tasks/get": ["either", [r2511]],
  "tasks/result": ["either", [r2511]],
  "tasks/list": ["either", [r2511]],
  "tasks/cancel": ["either", [r2511]],
};

const notifications: typeof requests = {
  "notifications/initialized": ["client", legacy],
  "notifications/cancelled": ["either", all],
  "notifications/progress": ["either", all],
  "notifications/message": ["server", all],
  "notifications/tools/list_changed": ["server", all],
  "notifications/prompts/list_changed": ["server", all],
  "notifications/resources/list_changed": ["server", all],
  "notifications/resources/updated": ["server", all],
  "notifications/subscriptions/acknowledged": ["server", [r2607]],
  "notifications/roots/list_changed": ["client", legacy],
  "notifications/elicitation/complete": ["server", [r2511]],
  "notifications/tasks/status": ["either", [r2511]],
};

/** Names of the rows of a revision for which `wanted` holds. */
function where(revision: Revision, wanted: (row: MethodInfo) => unknown): string[] {
  return Object.entries(methodTables[revision]).flatMap(([method, row]) => (wanted(row) ? [method] : []));
}

test.each(revisions)(
  "S-001 %s has exactly the requests and notifications of its specification",
  (revision) => {
    const expected = (table: typeof requests): string[] =>
      Object.entries(table).flatMap(([method, [, present]]) => (present.includes(revision) ? [method] : []));
    expect(where(revision, (row) => row.kind === "request").toSorted()).toEqual(
      expected(requests).toSorted(),
    );
    expect(where(revision, (row) => row.kind === "notification").toSorted()).toEqual(
      expected(notifications).toSorted(),
    );
  },
);

test.each(revisions)("each method of %s is sent by the side that the specification says", (revision) => {
  for (const [method, [sentBy, present]] of Object.entries({ ...requests, ...notifications })) {
    if (!present.includes(revision)) {
      continue;
    }
    // With no requests from the server left, only the server has progress to report.
    const sender = method === "notifications/progress" && revision === r2607 ? "server" : sentBy;
    expect(methodTables[revision][method]?.sentBy, method).toBe(sender);
  }
});

test("in the modern era the server's requests are embedded, before that they are not", () => {
  expect(where(r2607, (row) => row.embedded).toSorted()).toEqual([
    "elicitation/create",
    "roots/list",
    "sampling/createMessage",
  ]);
  for (const revision of legacy) {
    expect(where(revision, (row) => row.embedded)).toEqual([]);
  }
});

test("the six cacheable results are those of 2026-07-28 that carry hints", () => {
  expect(where(r2607, (row) => row.cacheable).toSorted()).toEqual([
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "tools/list",
  ]);
  for (const revision of legacy) {
    expect(where(revision, (row) => row.cacheable)).toEqual([]);
  }
});

test("three methods may ask for input and are named in a header", () => {
  const three = ["prompts/get", "resources/read", "tools/call"];
  expect(where(r2607, (row) => row.inputRequired).toSorted()).toEqual(three);
  expect(where(r2607, (row) => row.header).toSorted()).toEqual(three);
  expect(methodTables[r2607]["resources/read"]?.header).toBe("uri");
  for (const revision of legacy) {
    expect(where(revision, (row) => row.inputRequired ?? row.header)).toEqual([]);
  }
});

test("only 2025-11-25 has tasks in its core", () => {
  expect(where(r2511, (row) => row.task).toSorted()).toEqual([
    "elicitation/create",
    "sampling/createMessage",
    "tools/call",
  ]);
  for (const revision of [r2411, r2503, r2506, r2607]) {
    expect(where(revision, (row) => row.task)).toEqual([]);
  }
});

test("a capability is required only where the revision has it", () => {
  const needs = (revision: Revision, method: string): unknown => methodTables[revision][method]?.requires;
  expect(needs(r2411, "completion/complete")).toBeUndefined();
  expect(needs(r2503, "completion/complete")).toEqual({ server: "completions" });
  expect(needs(r2411, "resources/subscribe")).toEqual({ server: "resources.subscribe" });
  expect(needs(r2511, "tasks/list")).toEqual({ client: "tasks.list", server: "tasks.list" });
  expect(needs(r2607, "roots/list")).toEqual({ client: "roots" });
  expect(needs(r2511, "initialize")).toBeUndefined();
});

test("change notifications of the modern era name the filter that asks for them", () => {
  const filters = Object.entries(methodTables[r2607]).flatMap(([, row]) =>
    row.filter === undefined ? [] : [row.filter],
  );
  expect(filters.toSorted()).toEqual([
    "promptsListChanged",
    "resourceSubscriptions",
    "resourcesListChanged",
    "toolsListChanged",
  ]);
});

const harmless = [
  "completion/complete",
  "logging/setLevel",
  "notifications/cancelled",
  "notifications/initialized",
  "notifications/progress",
  "notifications/roots/list_changed",
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "server/discover",
  "tasks/get",
  "tasks/list",
  "tasks/result",
  "tools/list",
];

test("a message may be sent twice if its method says so in the newest revision that has it", () => {
  const all = new Set(Object.values(methodTables).flatMap((table) => Object.keys(table)));
  expect([...all].filter((method) => isRepeatable({ method })).toSorted()).toEqual(harmless);
});

test("an answer may be sent twice, a batch if all of it may, a method that is not the protocol's may not", () => {
  expect(isRepeatable({ id: 1, result: {} })).toBe(true);
  expect(isRepeatable([{ method: "ping" }, { id: 1, result: {} }])).toBe(true);
  expect(isRepeatable([{ method: "ping" }, { method: "tools/call" }])).toBe(false);
  for (const method of ["example.com/pay", "toString", "__proto__", 7]) {
    expect(isRepeatable({ method })).toBe(false);
  }
});

test("a method is found in the newest revision that has it", () => {
  expect(findMethod("ping")).toBe(methodTables[r2511]["ping"]);
  expect(findMethod("tools/call")).toBe(methodTables[r2607]["tools/call"]);
  expect(findMethod("constructor")).toBeUndefined();
});

test("notifications of which only the newest counts name the params that tell them apart", () => {
  const found = new Map(
    where(r2607, (row) => row.coalesceBy).map((method) => [method, findMethod(method)?.coalesceBy]),
  );
  expect(Object.fromEntries(found)).toEqual({
    "notifications/progress": ["progressToken"],
    "notifications/prompts/list_changed": [],
    "notifications/resources/list_changed": [],
    "notifications/resources/updated": ["uri"],
    "notifications/tools/list_changed": [],
  });
  expect(findMethod("notifications/tasks/status")?.coalesceBy).toEqual(["taskId"]);
});

test("notifications of changes say what has changed, what is stale now, and whom a client calls", () => {
  const rows = [...changeNotifications()].map(([method, row]) => [
    method.slice("notifications/".length),
    row.change,
    row.invalidates,
    row.hook,
  ]);
  expect(rows).toHaveLength(4);
  expect(rows).toEqual(
    expect.arrayContaining([
      ["prompts/list_changed", "list", ["prompts/list"], "onPromptsChanged"],
      [
        "resources/list_changed",
        "list",
        ["resources/list", "resources/templates/list"],
        "onResourcesChanged",
      ],
      ["resources/updated", "resource", ["resources/read"], "onResourceUpdated"],
      ["tools/list_changed", "list", ["tools/list"], "onToolsChanged"],
    ]),
  );
});

test("only requests that clients repeat to read a state are polled", () => {
  const all = new Set(Object.values(methodTables).flatMap((table) => Object.keys(table)));
  expect([...all].filter((method) => findMethod(method)?.polled === true)).toEqual(["tasks/get"]);
});

test("the methods whose effect a session keeps are of the legacy era, and say what takes it back", () => {
  const kept = ["logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
  for (const revision of legacy) {
    expect(where(revision, (row) => row.stateBy).toSorted()).toEqual(kept);
  }
  expect(where(r2607, (row) => row.stateBy)).toEqual([]);
  expect(findMethod("resources/unsubscribe")).toMatchObject({
    stateBy: findMethod("resources/subscribe")?.stateBy,
    undoes: "resources/subscribe",
  });
});
