import {
  InsufficientScope,
  scopePolicy,
  type PolicedRequest,
  type ScopePolicyOptions,
} from "@tenon/auth/server";
import { expect, test } from "vitest";

const options: ScopePolicyOptions = {
  default: "deny",
  methods: {
    "acme/export": ["export"],
    "tools/list": ({ cursor }) => (cursor === undefined ? [] : ["paging"]),
  },
  tools: {
    list: ["read"],
    add: ["write"],
    remove: ({ all }) => (all === true ? ["admin"] : ["write"]),
  },
  prompts: { summary: ["read"] },
  resources: {
    "notes://public/*": [],
    "notes://private/*": ["write"],
    "notes://private/mine": ["read"],
    "users://*": (uri) => [`user:${uri.slice(8)}`],
  },
  implies: { admin: ["write"], write: ["read"], loop: ["loop2"], loop2: ["loop"] },
};
const policy = scopePolicy(options);

const call = (name: unknown, args?: object) => ({ method: "tools/call", params: { name, arguments: args } });
const read = (uri: unknown) => ({ method: "resources/read", params: { uri } });

test.each<[object & { method: string; params?: object }, readonly string[] | undefined]>([
  [call("list"), ["read"]],
  [call("remove"), ["write"]],
  [call("remove", { all: true }), ["admin"]],
  [call("unknown"), undefined],
  [call(undefined), undefined],
  [call(7), undefined],
  [{ method: "tools/call" }, undefined],
  [{ method: "tools/call", params: [] }, undefined],
  [{ method: "prompts/get", params: { name: "summary" } }, ["read"]],
  [read("notes://public/a"), []],
  [read("notes://private/a"), ["write"]],
  [read("notes://private/mine"), ["read"]],
  [read("users://ada"), ["user:ada"]],
  [read("other://x"), undefined],
  [read("notes://public/../private/a"), undefined],
  [read("notes://public/%2e%2E/private/a"), undefined],
  [read("notes://public/..%2fprivate/a"), undefined],
  [read(["notes://public/a"]), undefined],
  [{ method: "resources/subscribe", params: { uri: "notes://private/a" } }, ["write"]],
  [
    {
      method: "subscriptions/listen",
      params: { notifications: { resourceSubscriptions: ["notes://public/a", "notes://private/a"] } },
    },
    ["write"],
  ],
  [
    { method: "subscriptions/listen", params: { notifications: { resourceSubscriptions: ["x://"] } } },
    undefined,
  ],
  [{ method: "subscriptions/listen", params: {} }, []],
  [{ method: "completion/complete", params: { ref: { type: "ref/prompt", name: "summary" } } }, ["read"]],
  [
    { method: "completion/complete", params: { ref: { type: "ref/resource", uri: "notes://private/*" } } },
    ["write"],
  ],
  [{ method: "completion/complete", params: {} }, undefined],
  [{ method: "acme/export" }, ["export"]],
  [{ method: "acme/delete" }, undefined],
  [{ method: "tools/list" }, []],
  [{ method: "tools/list", params: { cursor: "x" } }, ["paging"]],
  [{ method: "initialize" }, []],
  [{ method: "notifications/cancelled" }, []],
])("R-729: a policy names all scopes of an operation: %j", (message, scopes) => {
  expect(policy.required(message)).toEqual(scopes);
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "A-066: a name of the prototype has no entry: %s",
  (name) => {
    const auth = { scopes: ["admin", name] };
    expect(policy.authorize(call(name), { auth })).toEqual({ scopes: [] });
    expect(policy.authorize({ method: name }, { auth })).toEqual({ scopes: [] });
    expect(policy.authorize(read(name), { auth })).toEqual({ scopes: [] });
  },
);

test("A-066: without an entry and without a sender everything is refused, even what needs no scope", () => {
  expect(policy.authorize(call("unknown"), { auth: { scopes: ["admin"] } })).toEqual({ scopes: [] });
  expect(policy.authorize(call("list"), { auth: undefined })).toEqual({ scopes: ["read"] });
  expect(policy.authorize({ method: "tools/list" }, { auth: undefined })).toEqual({ scopes: [] });
  expect(policy.authorize({ method: "tools/list" }, { auth: {} })).toBeUndefined();
});

test("a default of scopes applies to what has no entry", () => {
  const other = scopePolicy({ default: ["base"], tools: { list: [] } });
  expect(other.required(call("unknown"))).toEqual(["base"]);
  expect(other.required(call("list"))).toEqual([]);
  expect(other.required({ method: "acme/delete" })).toEqual(["base"]);
});

test("R-730: a scope stands for all that it contains, at any depth and in a circle", () => {
  const mayDo = (scopes: readonly string[]): boolean =>
    policy.authorize(call("list"), { auth: { scopes } }) === undefined;
  expect(mayDo(["admin"])).toBe(true);
  expect(mayDo(["write"])).toBe(true);
  expect(mayDo(["loop"])).toBe(false);
  expect(mayDo([])).toBe(false);
});

test.each([
  [() => true, "rule of add"],
  [() => Promise.resolve([]), "rule of add"],
  [() => ["a b"], "rule of add"],
])("a rule that returns anything but scopes throws: %s", (rule, message) => {
  const broken = scopePolicy({ default: [], tools: { add: rule as never } });
  expect(() => broken.authorize(call("add"), { auth: {} })).toThrow(message);
});

test.each([
  [{}, "default"],
  [{ default: "allow" }, '"deny" or an array of scopes'],
  [{ default: [], tools: { a: "read" } }, "tools.a"],
  [{ default: [], implies: { a: "read" } }, "implies.a"],
])("a policy that is not valid is refused: %j", (wrong, message) => {
  expect(() => scopePolicy(wrong as never)).toThrow(message);
});

test("the middleware decides like authorize and throws what a client can react to", () => {
  const next = (): unknown => "ran";
  const run = policy.middleware(next);
  expect(run({ ...call("list"), auth: { scopes: ["read"] } })).toBe("ran");
  expect(() => run({ ...call("add"), auth: { scopes: ["read"] } })).toThrow(InsufficientScope);
  expect(() => run(call("list"))).toThrow(InsufficientScope);
  expect(() => run(call("unknown"))).toThrow("Forbidden");
});

test("lists contain only what their reader may use, if the policy hides the rest", async () => {
  const tools = ["list", "add", "remove", "unknown", "__proto__"].map((name) => ({ name }));
  const prompts = [{ name: "summary" }, { name: "other" }];
  const hiding = scopePolicy({ ...options, hideWithoutScope: true });
  const listed = (request: PolicedRequest): unknown =>
    Promise.resolve(request.method === "tools/list" ? { tools, nextCursor: "n" } : { prompts });
  const run = hiding.middleware(listed);
  const reader = { scopes: ["read"] };
  expect(await run({ method: "tools/list", auth: reader })).toEqual({
    tools: [{ name: "list" }, { name: "remove" }],
    nextCursor: "n",
  });
  expect(await run({ method: "prompts/list", auth: reader })).toEqual({ prompts: [{ name: "summary" }] });
  expect(await policy.middleware(listed)({ method: "tools/list", auth: reader })).toMatchObject({ tools });
});

test.each([
  ["notes://secret", ["admin"]],
  ["NOTES://%73ecret", ["admin"]],
  ["notes://secret?x", ["a", "admin"]],
  ["notes://secret#x", ["a", "admin"]],
  ["notes://secret%23x", ["a", "admin"]],
  ["notes://secret/", ["a", "admin"]],
  ["notes://public?x", ["a"]],
  ["notes://tilde/~x", ["b"]],
  ["notes://tilde/%7Ex", ["b"]],
  ["notes://deep//folder///file", ["a", "deep"]],
  ["notes://deep/folder/file?x=1", ["deep"]],
  ["notes://open?format=raw", []],
  ["https://example.com", ["web"]],
  ["https://EXAMPLE.com:443/", ["web"]],
  ["notes://a\uD800", ["base"]],
  ["notes://a%2Fb", ["base"]],
])("the entries for %j ask for %j", (uri, scopes) => {
  const spelled = scopePolicy({
    default: ["base"],
    resources: {
      "Notes://%73ecret": ["admin"],
      "notes://*": ["a"],
      "notes://TILDE/*": ["wrong"],
      "notes://tilde/%7e*": ["b"],
      "notes://deep/folder/*": ["deep"],
      "notes://open?format=raw": [],
      "https://example.com/": ["web"],
    },
  });
  expect(spelled.required(read(uri))?.toSorted()).toEqual(scopes);
});

test.each(["x://a/../b/*", "doc:a/../b", "https://a b/"])("the entry %j is refused: it is no URI", (key) => {
  expect(() => scopePolicy({ default: "deny", resources: { [key]: [] } })).toThrow("is not a URI");
});
