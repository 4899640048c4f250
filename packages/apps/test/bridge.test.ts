import { isAppError, loadView, viewUriOf, type AuditEntry, type ViewBridgeOptions } from "@tenon/apps/host";
import { bothEras, deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { chart, openPair, openSession } from "./pair.ts";

test.each(bothEras)(
  "R-709: a view calls tools that are visible to it, and no others (E-113, E-114, E-149, %s)",
  async (revision) => {
    const { session, server } = await openSession(revision);
    const audit: AuditEntry[] = [];
    const { view, bridge, errors } = await openPair(session, { onAudit: (entry) => void audit.push(entry) });
    expect(view.hostInfo).toEqual({ name: "chat", version: "1.0.0" });
    expect(await view.callTool({ name: "forecast", arguments: { city: "Berlin" } })).toMatchObject({
      content: [{ type: "text", text: "Sunny in Berlin" }],
    });
    expect(await view.callTool({ name: "refresh" })).toMatchObject({ content: [{ text: "fresh" }] });
    const { tools } = await view.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["forecast", "refresh"]);
    const refused = [view.callTool({ name: "delete" }), view.callTool({ name: "nobody" })];
    expect(
      (await Promise.allSettled(refused)).map((outcome) => Reflect.get(outcome, "reason") as unknown),
    ).toEqual([
      expect.objectContaining({ code: -32_602, message: 'Invalid params: unknown tool "delete".' }),
      expect.objectContaining({ code: -32_602, message: 'Invalid params: unknown tool "nobody".' }),
    ]);
    const { resources } = await view.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([chart.uri, "weather://stations"]);
    expect(await view.readResource({ uri: "weather://stations" })).toMatchObject({
      contents: [{ uri: "weather://stations", text: "Berlin" }],
    });
    server.addTool({ name: "late" }, () => "late");
    await expect(view.callTool({ name: "late" })).rejects.toMatchObject({ code: -32_602 });
    bridge.toolsChanged();
    expect(await view.callTool({ name: "late" })).toMatchObject({ content: [{ text: "late" }] });
    expect(audit.map(({ method, outcome }) => `${method} ${outcome}`)).toEqual([
      "ui/initialize done",
      "tools/call done",
      "tools/call done",
      "tools/list done",
      "tools/call failed",
      "tools/call failed",
      "resources/list done",
      "resources/read done",
      "tools/call failed",
      "tools/call done",
    ]);
    expect(errors).toEqual([]);
  },
);

test("the host approves what a view does on its server", async () => {
  const { session } = await openSession();
  const asked: unknown[] = [];
  const { view } = await openPair(session, {
    approve: ({ method, params, tool }) => {
      asked.push([method, params, tool?.name]);
      return asked.length === 2 ? ("yes" as never) : asked.length > 2;
    },
  });
  for (const name of ["forecast", "refresh"]) {
    await expect(view.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32_000 });
  }
  expect(await view.callTool({ name: "refresh" })).toMatchObject({ content: [{ text: "fresh" }] });
  await view.readResource({ uri: "weather://stations" });
  expect(asked).toEqual([
    ["tools/call", { name: "forecast", arguments: {} }, "forecast"],
    ["tools/call", { name: "refresh", arguments: {} }, "refresh"],
    ["tools/call", { name: "refresh" }, "refresh"],
    ["resources/read", { uri: "weather://stations" }, undefined],
  ]);
});

test("the errors of the server reach the view, and those of the host do not", async () => {
  const { session, server } = await openSession();
  server.addTool({ name: "broken" }, () => {
    throw new Error("secret of the server");
  });
  const { view, errors } = await openPair(session, {
    onMessage: () => {
      throw new Error("secret of the host");
    },
  });
  expect(await view.callTool({ name: "broken" })).toMatchObject({ isError: true });
  const missing = view.readResource({ uri: "weather://nothing" });
  await expect(missing).rejects.toMatchObject({ name: "RpcError", code: -32_602 });
  await expect(view.sendMessage("hello")).rejects.toMatchObject({ code: -32_603, message: "Internal error" });
  expect(errors.map(String)).toEqual(["Error: secret of the host"]);
});

const done = { url: "https://example.com/a" };
const text = { type: "text", text: "hello" } as const;
const file = { type: "resource", resource: { uri: "file:///a.txt", text: "a" } } as const;

test("a view asks its host, and the callbacks get what was checked (E-131, E-132)", async () => {
  const { session } = await openSession();
  const heard: unknown[] = [];
  const record =
    (name: string) =>
    (value: unknown): true => {
      heard.push([name, value]);
      return true;
    };
  const { view, bridge } = await openPair(session, {
    context: { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
    onOpenLink: ({ href }) => record("link")(href),
    onMessage: record("message"),
    onModelContext: record("context"),
    onDownload: record("files"),
    onDisplayMode: (mode) => (record("mode")(mode), mode),
    onSample: () => ({ role: "assistant", content: text, model: "m" }),
    onLog: record("log"),
    onResize: record("size"),
    onTeardownRequested: () => void heard.push("teardown"),
    limits: { maxPixels: 800 },
  });
  expect(bridge.viewInfo).toEqual({ name: "chart", version: "2.0.0" });
  await view.openLink(done.url);
  await view.sendMessage("hello");
  await view.sendMessage([text]);
  await view.updateModelContext({ content: [text] });
  await view.updateModelContext({ structuredContent: { row: 3 } });
  await view.download([file]);
  expect(await view.requestDisplayMode("fullscreen")).toBe("fullscreen");
  await expect.poll(() => view.context.displayMode).toBe("fullscreen");
  expect(await view.sample({ messages: [], maxTokens: 1 })).toMatchObject({ model: "m" });
  await view.log("info", { a: 1 }, "chart");
  await view.resize({ width: 400, height: 1e9 });
  await view.resize({ width: -1, height: "x" as never });
  await view.requestTeardown();
  await expect.poll(() => heard.at(-1)).toBe("teardown");
  expect(heard).toEqual([
    ["link", done.url],
    ["message", [text]],
    ["message", [text]],
    ["context", { content: [text], structuredContent: undefined }],
    ["context", { content: [], structuredContent: { row: 3 } }],
    ["files", [file]],
    ["mode", "fullscreen"],
    ["log", { level: "info", logger: "chart", data: { a: 1 } }],
    ["size", { width: 400, height: 800 }],
    ["size", { width: undefined, height: undefined }],
    "teardown",
  ]);
});

test.each<[string, unknown]>([
  ["false", false],
  ["undefined", undefined],
  ["a string", "done"],
])("a callback that returns %s refuses", async (_, outcome) => {
  const { session } = await openSession();
  const callback = (): never => outcome as never;
  const audit: string[] = [];
  const { view, errors } = await openPair(session, {
    onOpenLink: callback,
    onMessage: callback,
    onModelContext: callback,
    onDownload: callback,
    onAudit: (entry) => void audit.push(entry.outcome),
  });
  const asked = [
    view.openLink(done.url),
    view.sendMessage("hello"),
    view.updateModelContext({}),
    view.download([]),
  ];
  for (const refused of await Promise.allSettled(asked)) {
    expect(isAppError(Reflect.get(refused, "reason"), "REFUSED")).toBe(true);
  }
  expect(audit).toEqual(["done", "refused", "refused", "refused", "refused"]);
  expect(errors).toHaveLength(outcome === false ? 0 : 4);
});

test("a display mode that host or view do not offer is not asked for (E-127, E-128, E-129, E-130)", async () => {
  const { session } = await openSession();
  const asked: unknown[] = [];
  const onDisplayMode = (mode: string): never => {
    asked.push(mode);
    return "huge" as never;
  };
  const context: ViewBridgeOptions["context"] = { availableDisplayModes: ["inline", "fullscreen", "pip"] };
  const { view, errors } = await openPair(
    session,
    { context, onDisplayMode },
    { displayModes: ["inline", "pip"] },
  );
  expect(await view.requestDisplayMode("fullscreen")).toBe("inline");
  expect(asked).toEqual([]);
  expect(await view.requestDisplayMode("pip")).toBe("inline");
  expect(asked).toEqual(["pip"]);
  expect(String(errors)).toContain("onDisplayMode must return a display mode");
  await expect(view.requestDisplayMode("huge" as never)).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
  });
});

test("what a host does not support is not sent", async () => {
  const { session } = await openSession();
  const audit: string[] = [];
  const { view } = await openPair(session, { onAudit: ({ method }) => void audit.push(method) });
  const asked = [
    view.openLink(done.url),
    view.sendMessage("hello"),
    view.updateModelContext({}),
    view.download([]),
    view.sample({ messages: [], maxTokens: 1 }),
    view.requestDisplayMode("fullscreen"),
  ];
  for (const refused of await Promise.allSettled(asked)) {
    expect(isAppError(Reflect.get(refused, "reason"), "CAPABILITY_MISSING")).toBe(true);
  }
  await view.log("info", "not sent");
  expect(audit).toEqual(["ui/initialize"]);
});

test("a tool's input, its partial inputs and its result arrive in order (E-134, E-135, E-136, E-140)", async () => {
  const { session } = await openSession();
  const [tool] = (await session.listTools()).tools.filter(({ name }) => name === "forecast");
  const heard: unknown[] = [];
  const { bridge, view } = await openPair(
    session,
    { tool, context: { theme: "dark" } },
    {
      onPartialInput: (args) => void heard.push(["partial", args]),
      onInput: (args) => void heard.push(["input", args]),
      onResult: ({ content }) => void heard.push(["result", content]),
      onContext: ({ theme, locale }) => void heard.push(["context", theme, locale]),
      onToolsChanged: () => void heard.push("tools"),
    },
  );
  expect(view.context.toolInfo?.tool.name).toBe("forecast");
  bridge.sendPartialInput({ city: "Ber" });
  bridge.sendInput({ city: "Berlin" });
  bridge.sendPartialInput({ city: "late" });
  bridge.sendResult({ content: [text] });
  bridge.updateContext({ locale: "de" });
  bridge.toolsChanged();
  await expect.poll(() => heard.at(-1)).toBe("tools");
  expect(heard).toEqual([
    ["context", "dark", undefined],
    ["partial", { city: "Ber" }],
    ["input", { city: "Berlin" }],
    ["result", [text]],
    ["context", "dark", "de"],
    "tools",
  ]);
  expect(view.context).toMatchObject({ theme: "dark", locale: "de" });
  for (const again of [
    () => bridge.sendInput({}),
    () => bridge.sendResult({ content: [] }),
    () => bridge.sendCancelled(),
  ]) {
    expect(again).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
  }
});

test("a result without an input is an error of the host, and a call can be cancelled (E-134, E-136)", async () => {
  const { session } = await openSession();
  const heard: unknown[] = [];
  const { bridge } = await openPair(session, {}, { onCancelled: (reason) => void heard.push(reason) });
  expect(() => {
    bridge.sendResult({ content: [] });
  }).toThrow("Send the input of the view before the result.");
  bridge.sendCancelled("the user pressed Escape");
  await expect.poll(() => heard).toEqual(["the user pressed Escape"]);
});

test("a view is told of its end, and the host does not wait for ever (E-137, E-138)", async () => {
  const { session } = await openSession();
  const heard: unknown[] = [];
  const first = await openPair(session, {}, { onTeardown: (reason) => void heard.push(reason) });
  await first.bridge.close("closed by the user");
  expect(heard).toEqual(["closed by the user"]);
  await first.view.closed;
  await expect(first.view.callTool({ name: "refresh" })).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  const second = await openPair(
    session,
    { limits: { teardownTimeoutMs: 0 } },
    { onTeardown: () => new Promise(() => undefined) },
  );
  await second.bridge.close();
  await second.view.closed;
});

test("the end of a bridge waits for the view to save its work (E-138)", async () => {
  const { session } = await openSession();
  const told = deferred();
  const saved = deferred();
  const onTeardown = async (): Promise<void> => {
    told.resolve();
    await saved.promise;
  };
  const { bridge, view } = await openPair(session, {}, { onTeardown });
  const ended: string[] = [];
  const closing = bridge.close().then(() => ended.push("bridge"));
  void view.closed.then(() => ended.push("view"));
  await told.promise;
  await new Promise(setImmediate);
  expect(ended).toEqual([]);
  saved.resolve();
  await closing;
  await view.closed;
});

test("a host calls the tools of a view", async () => {
  const { session } = await openSession();
  let changes = 0;
  const { bridge, view, errors } = await openPair(
    session,
    { onViewToolsChanged: () => void changes++, limits: { maxTools: 2, maxResultBytes: 1000 } },
    {
      tools: [
        { name: "move", inputSchema: { type: "object" }, handler: ({ to }) => `moved to ${String(to)}` },
        { name: "wrong", handler: () => 3 as never },
      ],
    },
  );
  expect(bridge.hasTools).toBe(true);
  expect(await bridge.listTools()).toEqual([
    { name: "move", inputSchema: { type: "object" } },
    { name: "wrong", inputSchema: { type: "object" } },
  ]);
  expect(await bridge.callTool({ name: "move", arguments: { to: 3 } })).toEqual({
    content: [{ type: "text", text: "moved to 3" }],
  });
  await expect(bridge.callTool({ name: "wrong" })).rejects.toMatchObject({ code: -32_603 });
  expect(String(errors)).toContain("The tool wrong must return a string, or a result with content.");
  await expect(bridge.callTool({ name: "nobody" })).rejects.toMatchObject({ code: -32_602 });
  await view.removeTools("wrong");
  await view.addTool({ name: "big", handler: () => "x".repeat(2000) });
  await expect.poll(() => changes).toBe(2);
  await expect(bridge.callTool({ name: "big" })).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await view.addTool({ name: "third", handler: () => "" });
  await expect(bridge.listTools()).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
});

test("a view without tools has none to call, and cannot add any", async () => {
  const { session } = await openSession();
  const { bridge, view } = await openPair(session);
  expect(bridge.hasTools).toBe(false);
  await expect(bridge.listTools()).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  await expect(view.addTool({ name: "a", handler: () => "" })).rejects.toMatchObject({
    code: "INVALID_STATE",
  });
});

test("a view is loaded with its metadata, and gets only the permissions that the host grants (E-106, E-108, E-109, E-111)", async () => {
  const { session } = await openSession();
  const tool = (await session.listTools()).tools.find(({ name }) => name === "forecast");
  expect(tool && viewUriOf(tool)).toBe(chart.uri);
  const view = await loadView(session, tool ?? "", { permissions: ["clipboardWrite", "microphone"] });
  expect(view).toEqual({
    uri: chart.uri,
    html: chart.html,
    csp: chart.csp,
    permissions: ["clipboardWrite"],
    requestedPermissions: ["camera", "clipboardWrite"],
    domain: undefined,
    prefersBorder: true,
  });
  const strict = await loadView(session, chart.uri, { allowOrigin: (_, field) => field === "frameDomains" });
  expect(strict.csp).toEqual({ frameDomains: ["https://*.maps.example.com"] });
  expect(strict.permissions).toEqual([]);
  const { view: inside } = await openPair(session, { view });
  expect(inside.hostCapabilities.sandbox).toEqual({ csp: chart.csp, permissions: { clipboardWrite: {} } });
});
