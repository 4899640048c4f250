import {
  allowOf,
  cspOf,
  isVisibleTo,
  modelTools,
  parsePartialArguments,
  sandboxFrame,
  sandboxProxy,
  viewUriOf,
} from "@tenon/apps/host";
import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test } from "vitest";

const strict =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; media-src 'self' data:; connect-src 'none'; frame-src 'none'; base-uri 'self'; object-src 'none'; form-action 'none'";

test("the policy of a view without origins allows none (E-105)", () => {
  expect(cspOf()).toBe(strict);
  expect(cspOf({})).toBe(strict);
  expect(cspOf({ connectDomains: [], frameDomains: [] })).toBe(strict);
});

test("each field of the metadata adds its origins to its directives (E-104)", () => {
  const policy = cspOf({
    connectDomains: ["https://api.example.com", "wss://live.example.com:8443"],
    resourceDomains: ["https://*.cdn.example.com"],
    frameDomains: ["https://maps.example.com"],
    baseUriDomains: ["https://base.example.com"],
  });
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline' https://*.cdn.example.com",
    "style-src 'self' 'unsafe-inline' https://*.cdn.example.com",
    "img-src 'self' data: https://*.cdn.example.com",
    "font-src 'self' https://*.cdn.example.com",
    "media-src 'self' data: https://*.cdn.example.com",
    "connect-src https://api.example.com wss://live.example.com:8443",
    "frame-src https://maps.example.com",
    "base-uri 'self' https://base.example.com",
    "object-src 'none'",
    "form-action 'none'",
  ]);
});

test.each([
  "*",
  "https://*",
  "https:",
  "data:",
  "blob:",
  "'unsafe-eval'",
  "'none'",
  "https://a.example; script-src *",
  "https://a.example,https://b.example",
  "https://a.example https://b.example",
  "https://a.example\n; script-src *",
  "https://a.example/%3b",
  '"',
  "",
  `https://${"a".repeat(300)}.example`,
  null,
  {},
])("the source %j becomes no part of a policy", (source) => {
  const sources = [source] as never;
  const csp = {
    connectDomains: sources,
    resourceDomains: sources,
    frameDomains: sources,
    baseUriDomains: sources,
  };
  expect(cspOf(csp)).toBe(strict);
});

test("fields that are no lists, and sources above 100, become no part of a policy", () => {
  expect(cspOf({ connectDomains: "https://a.example" as never, resourceDomains: { 0: "x" } as never })).toBe(
    strict,
  );
  const many = Array.from({ length: 200 }, (_, index) => `https://${index}.example`);
  expect(cspOf({ connectDomains: many }).match(/https:/g)).toHaveLength(100);
});

test("no string of a server changes the directives of a policy, or adds keywords to it (E-106)", () => {
  const parts = fc.constantFrom(
    "https://a.example",
    ";",
    " ",
    "'",
    "*",
    ",",
    "\n",
    "script-src",
    "://",
    "%3b",
    ":",
    "data:",
  );
  const source = fc.oneof(
    fc.string(),
    fc.array(parts, { maxLength: 6 }).map((list) => list.join("")),
  );
  const sources = fc.array(source, { maxLength: 5 });
  fc.assert(
    fc.property(sources, (list) => {
      const csp = { connectDomains: list, resourceDomains: list, frameDomains: list, baseUriDomains: list };
      const read = cspOf(csp)
        .split(";")
        .map((directive) => directive.trim().split(/\s+/));
      expect(read.map(([name]) => name)).toEqual(
        strict.split("; ").map((directive) => directive.split(" ")[0]),
      );
      for (const [, ...values] of read) {
        for (const value of values) {
          const isOrigin =
            URL.canParse(value.replace("*.", "")) && /^(?:https?|wss?):\/\/[^/]+$/i.test(value);
          expect(isOrigin || ["'none'", "'self'", "'unsafe-inline'", "data:"].includes(value), value).toBe(
            true,
          );
        }
      }
    }),
    { numRuns: samples(2000) },
  );
});

test("the attribute allow names granted permissions as browsers do", () => {
  expect(allowOf(["camera", "clipboardWrite"])).toBe("camera; clipboard-write");
  expect(allowOf([])).toBe("");
});

test("the frame of the proxy may run scripts on its own origin, and nothing that leaves it (E-117)", () => {
  const frame = sandboxFrame("https://views.example/", { permissions: ["microphone"] });
  expect(frame).toEqual({
    src: "https://views.example/",
    sandbox: "allow-scripts allow-same-origin allow-forms allow-modals allow-pointer-lock",
    allow: "microphone",
    referrerpolicy: "no-referrer",
  });
});

test("the proxy is served for one host, whose origin cannot end its script", () => {
  const { html, headers } = sandboxProxy({ hostOrigin: "https://chat.example.com" });
  expect(headers["content-security-policy"]).toBe("frame-ancestors https://chat.example.com");
  expect(html.match(/<\/script>/g)).toHaveLength(1);
  for (const hostOrigin of [
    "*",
    "https://chat.example.com/",
    "chat.example.com",
    "null",
    "https://a</script>",
    "https://a.example;x",
    "https://a.example,b",
    "https://*.example.com",
  ]) {
    expect(() => sandboxProxy({ hostOrigin })).toThrow("must be an origin");
  }
});

const tool = (ui: unknown, more: object = {}): { _meta: Record<string, unknown> } => ({
  _meta: { ui, ...more },
});

test("R-709: tools without visibility are for both, and the model gets only its own (E-112)", () => {
  const tools = [
    {},
    tool({ visibility: ["model", "app"] }),
    tool({ visibility: ["model"] }),
    tool({ visibility: ["app"] }),
    tool({ visibility: [] }),
    tool({ visibility: "model" }),
    tool("x"),
  ];
  expect(tools.map((each) => isVisibleTo(each, "model"))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    true,
  ]);
  expect(tools.map((each) => isVisibleTo(each, "app"))).toEqual([
    true,
    true,
    false,
    true,
    false,
    false,
    true,
  ]);
  expect(modelTools(tools)).toEqual([0, 1, 2, 6].map((index) => tools[index]));
});

test("R-709: the view of a tool is found under its key, and under that of old servers (E-115)", () => {
  expect(viewUriOf(tool({ resourceUri: "ui://a" }))).toBe("ui://a");
  expect(viewUriOf({ _meta: { "ui/resourceUri": "ui://old" } })).toBe("ui://old");
  expect(viewUriOf(tool({ resourceUri: "ui://a" }, { "ui/resourceUri": "ui://old" }))).toBe("ui://a");
  for (const other of [
    {},
    tool({}),
    tool({ resourceUri: "https://a" }),
    tool({ resourceUri: 3 }),
    tool(null),
  ]) {
    expect(viewUriOf(other)).toBeUndefined();
  }
});

test.each<[string, unknown]>([
  ["", undefined],
  ["[", undefined],
  ["3", undefined],
  ["{", {}],
  ['{"', {}],
  ['{"city', {}],
  ['{"city"', {}],
  ['{"city":', {}],
  ['{"city": "Par', { city: "Par" }],
  ['{"city": "Par\\', { city: "Par" }],
  ['{"city": "Par\\u00', { city: "Par" }],
  ['{"city": "a\\"b', { city: 'a"b' }],
  ['{"city": "Paris", "da', { city: "Paris" }],
  ['{"n": 1', {}],
  ['{"n": 12,', { n: 12 }],
  ['{"n": -1.5e3 ', { n: -1500 }],
  ['{"a": tru', {}],
  ['{"a": true, "b": nul', { a: true }],
  ['{"a": [1, 2, {"b": "c', { a: [1, 2, { b: "c" }] }],
  ['{"a": [1, 2', { a: [1] }],
  ['{"a": {"b": {}}, "c": []}', { a: { b: {} }, c: [] }],
  ['{"a": "b"} trailing', undefined],
  ['{"__proto__": {"x": 1', JSON.parse('{"__proto__": {}}')],
])("the arguments %s are read as far as they are written", (written, expected) => {
  expect(parsePartialArguments(written)).toEqual(expected);
});

test("every beginning of arguments can be read, and grows towards the whole", () => {
  const whole = JSON.stringify({
    text: 'a "quoted" \\ line\n\u2028 😀',
    list: [1, -2.5, true, null, ["x", {}], { deep: { er: "é" } }],
    empty: {},
  });
  for (let length = 1; length <= whole.length; length++) {
    expect(parsePartialArguments(whole.slice(0, length)), whole.slice(0, length)).toBeTypeOf("object");
  }
  expect(parsePartialArguments(whole)).toEqual(JSON.parse(whole));
});

test("what is deeper than 100 levels is left out of partial arguments", () => {
  const read = JSON.stringify(parsePartialArguments(`{"a":${"[".repeat(100_000)}`));
  expect(read.match(/\[/g)).toHaveLength(100);
});
