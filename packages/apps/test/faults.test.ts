import { loadView, openBridge, type ViewBridge, type ViewBridgeOptions } from "@tenon/apps/host";
import { connectView, type ViewTool } from "@tenon/apps/view";
import { isLocalError, Peer, type Connection, type Scope } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { chart, openPair, openSession, viewType } from "./pair.ts";

const info = { name: "n", version: "1.0.0" };

/** A bridge, and a peer in place of its view. */
async function openRaw(options: Partial<ViewBridgeOptions> = {}): Promise<{
  readonly bridge: ViewBridge;
  readonly peer: Peer;
  readonly errors: unknown[];
  readonly heard: string[];
}> {
  const { session } = await openSession();
  const [left, right] = createInMemoryTransports();
  const errors: unknown[] = [];
  const heard: string[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const bridge = await openBridge(session, { transport: left, info, onError, ...options });
  const peer = new Peer(await right.connect(), { handler: ({ method }) => void heard.push(method) });
  onTestFinished(async () => {
    await bridge.close();
    await peer.close();
  });
  return { bridge, peer, errors, heard };
}

const hello = { appInfo: info, appCapabilities: {}, protocolVersion: "2026-01-26" };

test("a view has to shake hands before it sends or gets anything (E-122, E-125)", async () => {
  const { bridge, peer, heard } = await openRaw();
  bridge.sendInput({});
  bridge.updateContext({ theme: "dark" });
  await expect(peer.call("tools/call", { name: "refresh" })).rejects.toMatchObject({ code: -32_600 });
  await peer.notify("ui/notifications/initialized");
  expect(await peer.call("ui/initialize", hello)).toMatchObject({
    protocolVersion: "2026-01-26",
    hostInfo: info,
    hostContext: { theme: "dark" },
  });
  expect(heard).toEqual([]);
  await peer.notify("ui/notifications/initialized");
  await bridge.ready;
  await peer.notify("ui/notifications/initialized");
  await peer.call("ping");
  expect(heard).toEqual(["ui/notifications/tool-input"]);
});

test("a view that shakes hands again gets the input and the outcome again", async () => {
  const { bridge, peer, heard } = await openRaw();
  bridge.sendPartialInput({});
  await peer.call("ui/initialize", { ...hello, appCapabilities: { tools: {} } });
  await peer.notify("ui/notifications/initialized");
  await bridge.ready;
  bridge.sendInput({});
  bridge.sendResult({ content: [] });
  await peer.call("ping");
  expect(bridge.hasTools).toBe(true);
  expect(heard.splice(0)).toEqual([
    "ui/notifications/tool-input-partial",
    "ui/notifications/tool-input",
    "ui/notifications/tool-result",
  ]);
  await peer.call("ui/initialize", hello);
  bridge.updateContext({ theme: "dark" });
  await peer.call("ping");
  expect(heard).toEqual([]);
  await peer.notify("ui/notifications/initialized");
  await peer.call("ping");
  expect(bridge.hasTools).toBe(false);
  expect(heard).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
});

test("a view that never shakes hands is closed", async () => {
  const clock = createVirtualClock();
  const { bridge } = await openRaw({ clock, limits: { handshakeTimeoutMs: 5000 } });
  clock.advance(5000);
  await expect(bridge.ready).rejects.toMatchObject({ code: "TIMEOUT" });
  await bridge.closed;
});

test("a bridge that ends before the handshake says so", async () => {
  const { bridge, peer } = await openRaw();
  await peer.close();
  await expect(bridge.ready).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("a view that sends too many messages is refused until the interval has passed", async () => {
  const clock = createVirtualClock();
  const sizes: unknown[] = [];
  const { peer, errors } = await openRaw({
    clock,
    onResize: (size) => void sizes.push(size),
    limits: { maxMessages: 3, intervalMs: 1000 },
  });
  await peer.call("ui/initialize", hello);
  await peer.notify("ui/notifications/size-changed", { height: 1 });
  await peer.call("ping");
  await peer.notify("ui/notifications/size-changed", { height: 2 });
  await expect(peer.call("ping")).rejects.toMatchObject({ code: -32_000 });
  expect(sizes).toEqual([{ width: undefined, height: 1 }]);
  expect(errors.filter((error) => isLocalError(error, "LIMIT_EXCEEDED"))).toHaveLength(1);
  clock.advance(1000);
  expect(await peer.call("ping")).toEqual({});
});

test("a view cannot have the server list its tools again and again", async () => {
  const clock = createVirtualClock();
  const { session, server } = await openSession(legacyRevision);
  let lists = 0;
  server.addReceivingMiddleware((next) => (request) => {
    lists += request.method === "tools/list" ? 1 : 0;
    return next(request);
  });
  const { view } = await openPair(session, { clock, limits: { intervalMs: 1000 } });
  const misses = async (): Promise<void> => {
    for (const name of ["a", "b", "c"]) {
      await expect(view.callTool({ name })).rejects.toMatchObject({ code: -32_602 });
    }
  };
  await misses();
  expect(lists).toBe(2);
  clock.advance(1000);
  await misses();
  expect(lists).toBe(3);
});

test("the document of a view is sent to its proxy once (E-118)", async () => {
  const { session } = await openSession();
  const [left, right] = createInMemoryTransports();
  const view = await loadView(session, chart.uri, { permissions: ["camera"] });
  const bridge = await openBridge(session, { transport: left, info, view });
  const sent: unknown[] = [];
  const handler = ({ method, params }: Scope): void => void sent.push([method, params]);
  const proxy = new Peer(await right.connect(), { handler });
  await proxy.notify("ui/notifications/sandbox-proxy-ready", {});
  await proxy.notify("ui/notifications/sandbox-proxy-ready", {});
  await proxy.call("ui/initialize", hello);
  const { html, csp } = view;
  expect(sent).toEqual([
    ["ui/notifications/sandbox-resource-ready", { html, csp, permissions: { camera: {} } }],
  ]);
  await bridge.close();
});

test("params above the limit are refused before anything reads them", async () => {
  let heard = 0;
  const { peer } = await openRaw({
    onMessage: () => ++heard > 0,
    onLog: () => void heard++,
    limits: { maxParamsBytes: 1000 },
  });
  await peer.call("ui/initialize", hello);
  await peer.notify("notifications/message", { level: "info", data: "x".repeat(1000) });
  const content = [{ type: "text", text: "ü".repeat(500) }];
  await expect(peer.call("ui/message", { role: "user", content })).rejects.toMatchObject({ code: -32_000 });
  expect(heard).toBe(0);
});

const yes = (): true => true;

test.each<[string, object]>([
  ["ui/open-link", {}],
  ["ui/open-link", { url: 3 }],
  ["ui/open-link", { url: "javascript:alert(1)" }],
  ["ui/open-link", { url: "file:///etc/passwd" }],
  ["ui/open-link", { url: "data:text/html,x" }],
  ["ui/open-link", { url: "/relative" }],
  ["ui/open-link", { url: `https://a.example/${"x".repeat(10_000)}` }],
  ["ui/message", {}],
  ["ui/message", { role: "system", content: [] }],
  ["ui/message", { role: "user", content: "text" }],
  ["ui/message", { role: "user", content: [{ type: "text" }] }],
  ["ui/message", { role: "user", content: [{ type: "tool_use", name: "x" }] }],
  ["ui/message", { role: "user", content: [{ type: "image", data: "" }] }],
  ["ui/message", { role: "user", content: [{ type: "resource", resource: { uri: "a:b" } }] }],
  ["ui/message", { role: "user", content: [{ type: "constructor" }] }],
  ["ui/update-model-context", { content: [3] }],
  ["ui/update-model-context", { structuredContent: [] }],
  ["ui/download-file", { contents: [{ type: "text", text: "x" }] }],
  ["ui/download-file", {}],
  ["ui/request-display-mode", { mode: "window" }],
  ["sampling/createMessage", { messages: "x" }],
  ["sampling/createMessage", { messages: [], tools: [] }],
  ["tools/call", {}],
  ["tools/call", { name: "refresh", arguments: [] }],
  ["resources/read", { uri: 3 }],
])("%s with the params %j is refused (E-148)", async (method, params) => {
  const heard: string[] = [];
  const record = (): true => {
    heard.push(method);
    return true;
  };
  const { peer } = await openRaw({
    onOpenLink: record,
    onMessage: record,
    onModelContext: record,
    onDownload: record,
    onDisplayMode: (mode) => (record(), mode),
    onSample: () => (record(), {} as never),
  });
  await peer.call("ui/initialize", hello);
  await expect(peer.call(method, params)).rejects.toMatchObject({ code: -32_602 });
  expect(heard).toEqual([]);
});

test("a view that sends one block in place of a list is understood", async () => {
  const heard: unknown[] = [];
  const { peer } = await openRaw({ onMessage: (content) => heard.push(content) > 0 });
  await peer.call("ui/initialize", hello);
  await peer.call("ui/message", { role: "user", content: { type: "text", text: "hi" } });
  expect(heard).toEqual([[{ type: "text", text: "hi" }]]);
});

test("methods that a view may not send do not exist (E-123)", async () => {
  const { peer } = await openRaw({ onOpenLink: yes });
  await peer.call("ui/initialize", hello);
  for (const method of ["ui/message", "prompts/list", "initialize", "logging/setLevel", "toString"]) {
    await expect(peer.call(method, {})).rejects.toMatchObject({ code: -32_601 });
  }
});

test("what onSample returns is checked", async () => {
  const { peer, errors } = await openRaw({ onSample: () => ({ text: "x" }) as never });
  await peer.call("ui/initialize", hello);
  await expect(peer.call("sampling/createMessage", { messages: [] })).rejects.toMatchObject({
    code: -32_603,
  });
  expect(String(errors)).toContain("onSample must return a message");
});

test("a cancelled tool call of a view is cancelled at the server", async () => {
  const { session, server } = await openSession();
  let isAborted = false;
  server.addTool({ name: "slow" }, async (_, { signal }) => {
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    isAborted = true;
  });
  const { view } = await openPair(session);
  const controller = new AbortController();
  const call = view.callTool({ name: "slow" }, { signal: controller.signal });
  await view.callTool({ name: "refresh" });
  controller.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await expect.poll(() => isAborted).toBe(true);
});

test("a host that cancels a call of a view's tool, or ends, aborts the tool", async () => {
  const { session } = await openSession();
  const reasons: unknown[] = [];
  const handler: ViewTool["handler"] = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reasons.push(signal.reason);
        reject(new Error("aborted"));
      });
    });
  const inside = { tools: [{ name: "slow", handler }], limits: { maxInFlight: 2 } };
  const { bridge, view } = await openPair(session, { limits: { teardownTimeoutMs: 0 } }, inside);
  const controller = new AbortController();
  const first = bridge.callTool({ name: "slow" }, { signal: controller.signal });
  const second = bridge.callTool({ name: "slow" }).catch((error: unknown) => error);
  await expect(bridge.callTool({ name: "slow" })).rejects.toMatchObject({
    code: -32_603,
    message: "Too many requests are in flight.",
  });
  controller.abort(new Error("enough"));
  await expect(first).rejects.toThrow("enough");
  await expect.poll(() => reasons).toHaveLength(1);
  await bridge.close();
  await view.closed;
  expect(isLocalError(reasons[1], "CONNECTION_CLOSED")).toBe(true);
  expect(isLocalError(await second, "CONNECTION_CLOSED")).toBe(true);
});

test("a view that waits too long, or for too much, is told", async () => {
  const { session } = await openSession();
  const never = new Promise<boolean>(() => undefined);
  const { view } = await openPair(session, { onMessage: () => never }, { limits: { maxPending: 1 } });
  const first = view.sendMessage("a", { timeoutMs: 1 });
  await expect(view.sendMessage("b")).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await expect(first).rejects.toMatchObject({ code: "TIMEOUT" });
  const aborted = view.sendMessage("c", { signal: AbortSignal.abort(new Error("before")) });
  await expect(aborted).rejects.toThrow("before");
});

/** A connection in place of a host. */
async function openHost(
  answer: (method: string, peer: Peer) => unknown,
): Promise<{ readonly connect: () => ReturnType<typeof connectView>; readonly errors: unknown[] }> {
  const [left, right] = createInMemoryTransports();
  const errors: unknown[] = [];
  const host: Connection = await left.connect();
  const peer: Peer = new Peer(host, { handler: ({ method }) => answer(method, peer) });
  onTestFinished(() => peer.close());
  const connect = (): ReturnType<typeof connectView> =>
    connectView({ transport: right, info, onError: (error) => void errors.push(error) });
  return { connect, errors };
}

test("a view declares what it can do, and all its display modes, at the handshake (E-124)", async () => {
  for (const [inside, appCapabilities] of [
    [{}, {}],
    [
      { tools: [{ name: "t", handler: () => "" }], displayModes: ["inline", "pip"] },
      { tools: { listChanged: true }, availableDisplayModes: ["inline", "pip"] },
    ],
  ] as const) {
    const [left, right] = createInMemoryTransports();
    const sent: unknown[] = [];
    const host = new Peer(await left.connect(), {
      handler: ({ params }: Scope) => {
        sent.push(params);
        return { hostCapabilities: {} };
      },
    });
    const view = await connectView({ transport: right, info, ...inside });
    expect(sent[0]).toEqual({ appInfo: info, appCapabilities, protocolVersion: "2026-01-26" });
    await view.close();
    await host.close();
  }
});

test("a host that is none is not connected to", async () => {
  const { connect } = await openHost(() => ({}));
  await expect(connect()).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
});

test("a host may call nothing but the tools of a view, and errors of handlers are reported", async () => {
  let host: Peer | undefined;
  const { connect, errors } = await openHost((method, peer) => {
    host = peer;
    return method === "ui/initialize" ? { hostCapabilities: {} } : undefined;
  });
  const view = await connect();
  await expect(host?.call("resources/read")).rejects.toMatchObject({ code: -32_601 });
  expect(await host?.call("ping")).toEqual({});
  expect(await host?.call("tools/list")).toEqual({ tools: [] });
  expect(errors).toEqual([]);
  await view.close();
  await view.close();
});

test.each<[string, object, string]>([
  ["another type", { mimeType: "text/html", text: "" }, `its type must be ${viewType}; got "text/html"`],
  ["no type", { text: "" }, "its type must be"],
  ["another URI", { uri: "ui://other", mimeType: viewType, text: "" }, "returned other resources"],
  ["a blob that is no base64", { mimeType: viewType, blob: "%" }, "its blob must be base64"],
  [
    "too many bytes",
    { mimeType: viewType, text: "ü".repeat(501) },
    "it has 1002 bytes, above limits.maxHtmlBytes",
  ],
])("a view with %s is not loaded (E-101, E-102)", async (_, content, message) => {
  const { session, server } = await openSession();
  server.addResource({ uri: "ui://raw", name: "raw" }, () => [{ uri: "ui://raw", ...content } as never]);
  const loading = loadView(session, "ui://raw", { limits: { maxHtmlBytes: 1000 } });
  await expect(loading).rejects.toMatchObject({
    code: "INVALID_VIEW",
    message: expect.stringContaining(message),
  });
});

test("a tool without a view, and a URI of another scheme, are refused before anything is read", async () => {
  const { session } = await openSession();
  for (const tool of ["https://example.com", { name: "t", inputSchema: { type: "object" as const } }]) {
    await expect(loadView(session, tool)).rejects.toMatchObject({ code: "INVALID_VIEW" });
  }
});

test("metadata of the contents wins over that of the list, which counts where there is none (E-102, E-108)", async () => {
  const { session, server } = await openSession();
  const ui = { csp: { connectDomains: ["https://listed.example"] }, domain: "listed" };
  const html = { mimeType: `Text/HTML; profile=mcp-app`, blob: btoa("<p>hi") };
  const own = { csp: { connectDomains: ["https://own.example", "*"] }, permissions: { usb: {}, camera: {} } };
  server.addResource({ uri: "ui://listed", name: "listed", _meta: { ui } }, () => [html]);
  server.addResource({ uri: "ui://own", name: "own", _meta: { ui } }, () => [
    { ...html, _meta: { ui: own } },
  ]);
  expect(await loadView(session, "ui://listed")).toMatchObject({
    html: "<p>hi",
    csp: { connectDomains: ["https://listed.example"] },
    domain: "listed",
    requestedPermissions: [],
  });
  expect(await loadView(session, "ui://own")).toMatchObject({
    csp: { connectDomains: ["https://own.example"] },
    domain: undefined,
    requestedPermissions: ["camera"],
  });
});
