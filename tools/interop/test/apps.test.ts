import { Client as OfficialClient } from "@modelcontextprotocol/client";
import { App } from "@modelcontextprotocol/ext-apps";
import {
  AppBridge,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  isToolVisibilityModelOnly,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import * as helpers from "@modelcontextprotocol/ext-apps/server";
import { McpServer } from "@modelcontextprotocol/server";
import {
  appHost,
  loadView,
  modelTools,
  openBridge,
  viewUriOf,
  type ViewBridgeOptions,
} from "@tenon/apps/host";
import { apps } from "@tenon/apps/server";
import { connectView, type View, type ViewOptions } from "@tenon/apps/view";
import { Client, Server, type ClientSession } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { bothEras, modernRevision } from "@tenon/test-support";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

import { checked, officialMethods, type Crossed } from "./apps/schema.ts";
import { bridge as official } from "./memory/bridge.ts";

const info = { name: "ours", version: "1.0.0" };
const html = "<!doctype html><title>Chart</title>";
const text = { type: "text", text: "hello" } as const;
const file = { type: "resource", resource: { uri: "file:///a.txt", text: "a" } } as const;

function weather(): Server {
  const server = new Server({ name: "weather", version: "1.0.0" });
  const csp = { connectDomains: ["https://api.example.com"] };
  server.use(
    apps({ views: [{ uri: "ui://weather/chart", html, csp, permissions: ["camera"], prefersBorder: true }] }),
  );
  server.addTool(
    {
      name: "forecast",
      ui: "ui://weather/chart",
      input: { type: "object", properties: { city: { type: "string" } } },
    },
    ({ city }) => `Sunny in ${String(city)}`,
  );
  server.addTool({ name: "refresh", ui: { view: "ui://weather/chart", visibility: ["app"] } }, () => "fresh");
  server.addTool({ name: "delete", ui: { visibility: ["model"] } }, () => "deleted");
  onTestFinished(() => server.close({ drainMs: 0 }));
  return server;
}

async function sessionWith(server: Server, revision: (typeof bothEras)[number]): Promise<ClientSession> {
  const client = new Client(info, { revisions: [revision] });
  client.use(appHost());
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  onTestFinished(() => client.close());
  return client.connect(here);
}

/** An official view in our host. */
async function openApp(
  session: ClientSession,
  options: Partial<ViewBridgeOptions>,
  prepare: (app: App) => void = () => undefined,
): Promise<{
  readonly app: App;
  readonly bridge: Awaited<ReturnType<typeof openBridge>>;
  readonly wire: Crossed;
}> {
  const [left, right] = createInMemoryTransports();
  const wire = checked(left);
  const bridge = await openBridge(session, { transport: wire.transport, info, ...options });
  const app = new App(
    { name: "official", version: "2.0.0" },
    { availableDisplayModes: ["inline", "fullscreen"], tools: { listChanged: true } },
    { autoResize: false },
  );
  prepare(app);
  await app.connect(official(right) as never);
  await bridge.ready;
  onTestFinished(async () => {
    await bridge.close();
    await app.close();
  });
  return { app, bridge, wire };
}

describe("an official view in our host", () => {
  test.each(bothEras)("calls the tools that are visible to it (%s)", async (revision) => {
    const { app, wire } = await openApp(await sessionWith(weather(), revision), {});
    expect(app.getHostVersion()).toEqual(info);
    const result = await app.callServerTool({ name: "forecast", arguments: { city: "Berlin" } });
    expect(result).toMatchObject({ content: [{ type: "text", text: "Sunny in Berlin" }] });
    await expect(app.callServerTool({ name: "delete" })).rejects.toMatchObject({ code: -32_602 });
    const { resources } = await app.listServerResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["ui://weather/chart"]);
    const { contents } = await app.readServerResource({ uri: "ui://weather/chart" });
    expect(contents).toMatchObject([{ text: html }]);
    expect(wire.problems).toEqual([]);
  });

  test.each(bothEras)("asks for what hosts offer, and hears of its tool (%s)", async (revision) => {
    const heard: unknown[] = [];
    const yes = (value: unknown): true => {
      heard.push(value);
      return true;
    };
    const session = await sessionWith(weather(), revision);
    const view = await loadView(session, "ui://weather/chart", { permissions: ["camera"] });
    const { app, bridge, wire } = await openApp(
      session,
      {
        view,
        context: { theme: "dark", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
        onOpenLink: ({ href }) => yes(href),
        onMessage: yes,
        onModelContext: yes,
        onDownload: yes,
        onDisplayMode: (mode) => (yes(mode), mode),
        onSample: () => ({ role: "assistant", content: text, model: "m" }),
        onLog: yes,
        onResize: yes,
        onTeardownRequested: () => void yes("teardown"),
      },
      (app) => {
        app.ontoolinputpartial = (params) => void yes(["partial", params.arguments]);
        app.ontoolinput = (params) => void yes(["input", params.arguments]);
        app.ontoolresult = ({ content }) => void yes(["result", content]);
        app.onhostcontextchanged = (context) => void yes(["context", context]);
        app.onteardown = () => (yes("torn down"), {});
        app.registerTool("move", { inputSchema: z.object({ to: z.number() }) }, async ({ to }) =>
          Promise.resolve({ content: [{ type: "text", text: `moved to ${to}` }] }),
        );
      },
    );
    expect(app.getHostCapabilities()).toMatchObject({
      sandbox: { csp: view.csp, permissions: { camera: {} } },
    });
    expect(app.getHostContext()).toMatchObject({ theme: "dark" });
    expect(await app.openLink({ url: "https://example.com/a" })).toEqual({});
    expect(await app.sendMessage({ role: "user", content: [text] })).toEqual({});
    await app.updateModelContext({ content: [text], structuredContent: { row: 3 } });
    expect(await app.downloadFile({ contents: [file] })).toEqual({});
    expect(await app.requestDisplayMode({ mode: "fullscreen" })).toEqual({ mode: "fullscreen" });
    const sampled = await app.createSamplingMessage({ messages: [], maxTokens: 1 });
    expect(sampled).toMatchObject({ model: "m" });
    await app.sendLog({ level: "info", data: "logged" });
    await app.sendSizeChanged({ width: 400, height: 300 });
    await app.requestTeardown();
    bridge.sendPartialInput({ city: "Ber" });
    bridge.sendInput({ city: "Berlin" });
    bridge.sendResult({ content: [text] });
    expect((await bridge.listTools()).map(({ name }) => name)).toEqual(["move"]);
    expect(await bridge.callTool({ name: "move", arguments: { to: 3 } })).toMatchObject({
      content: [{ text: "moved to 3" }],
    });
    expect(
      await bridge.callTool({ name: "move", arguments: { to: "x" } }).catch(() => ({ isError: true })),
    ).toMatchObject({
      isError: true,
    });
    // The official schema has no reason, unlike the text of SEP-1865.
    await bridge.close();
    expect(heard).toEqual([
      "https://example.com/a",
      [text],
      { content: [text], structuredContent: { row: 3 } },
      [file],
      "fullscreen",
      ["context", { displayMode: "fullscreen" }],
      { level: "info", logger: undefined, data: "logged" },
      { width: 400, height: 300 },
      "teardown",
      ["partial", { city: "Ber" }],
      ["input", { city: "Berlin" }],
      ["result", [text]],
      "torn down",
    ]);
    expect(wire.problems).toEqual([]);
  });

  test("learns that the user refused, and that a call was cancelled", async () => {
    const no = (): false => false;
    const heard: unknown[] = [];
    const { app, bridge, wire } = await openApp(
      await sessionWith(weather(), modernRevision),
      { onOpenLink: no, onMessage: no, onModelContext: no, onDownload: no },
      (view) => {
        view.ontoolcancelled = ({ reason }) => void heard.push(reason);
      },
    );
    expect(await app.openLink({ url: "https://example.com/a" })).toEqual({ isError: true });
    expect(await app.sendMessage({ role: "user", content: [text] })).toEqual({ isError: true });
    expect(await app.downloadFile({ contents: [file] })).toEqual({ isError: true });
    await expect(app.updateModelContext({ content: [text] })).rejects.toMatchObject({ code: -32_000 });
    bridge.sendCancelled("the user pressed Escape");
    await expect.poll(() => heard).toEqual(["the user pressed Escape"]);
    expect(wire.problems).toEqual([]);
  });
});

/** Our view in an official host, whose official client is connected to our server. */
async function openOfficialHost(
  options: Partial<ViewOptions>,
  prepare: (bridge: AppBridge) => void = () => undefined,
): Promise<{ readonly view: View; readonly bridge: AppBridge; readonly wire: Crossed }> {
  const server = weather();
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new OfficialClient({ name: "official", version: "1.0.0" });
  await client.connect(official(here) as never);
  const all = { text: {} };
  const bridge = new AppBridge(
    client,
    { name: "official", version: "1.0.0" },
    {
      serverTools: {},
      serverResources: {},
      openLinks: {},
      downloadFile: {},
      logging: {},
      message: all,
      updateModelContext: all,
      sampling: {},
    },
    {
      hostContext: { theme: "light", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
    },
  );
  prepare(bridge);
  const [left, right] = createInMemoryTransports();
  await bridge.connect(official(left) as never);
  const wire = checked(right);
  const view = await connectView({ transport: wire.transport, info, ...options });
  onTestFinished(async () => {
    await view.close();
    await client.close();
  });
  return { view, bridge, wire };
}

describe("our view in an official host", () => {
  test("calls tools and reads resources of the server", async () => {
    const { view, bridge, wire } = await openOfficialHost({});
    expect(view.hostInfo).toMatchObject({ name: "official" });
    expect(bridge.getAppVersion()).toEqual(info);
    const result = await view.callTool({ name: "forecast", arguments: { city: "Berlin" } });
    expect(result).toMatchObject({ content: [{ type: "text", text: "Sunny in Berlin" }] });
    const { contents } = await view.readResource({ uri: "ui://weather/chart" });
    expect(contents).toMatchObject([{ text: html }]);
    expect((await view.listResources()).resources).toHaveLength(1);
    expect(wire.problems).toEqual([]);
  });

  test("asks for what hosts offer, and hears of its tool", async () => {
    const heard: unknown[] = [];
    const inside: unknown[] = [];
    const { view, bridge, wire } = await openOfficialHost(
      {
        displayModes: ["inline", "fullscreen"],
        onPartialInput: (args) => void inside.push(["partial", args]),
        onInput: (args) => void inside.push(["input", args]),
        onResult: ({ content }) => void inside.push(["result", content]),
        onCancelled: (reason) => void inside.push(["cancelled", reason]),
        onContext: ({ theme, locale }) => void inside.push(["context", theme, locale]),
        onTeardown: () => void inside.push("torn down"),
        tools: [
          { name: "move", inputSchema: { type: "object" }, handler: ({ to }) => `moved to ${String(to)}` },
        ],
      },
      (host) => {
        const record = (value: unknown): Promise<Record<string, never>> => {
          heard.push(value);
          return Promise.resolve({});
        };
        host.onopenlink = ({ url }) => record(url);
        Object.assign(host, { onmessage: ({ content }: { content: unknown }) => record(content) });
        host.onupdatemodelcontext = (params) => record(params);
        host.ondownloadfile = ({ contents }) => record(contents);
        host.onrequestdisplaymode = async ({ mode }) => (await record(mode), { mode });
        host.oncreatesamplingmessage = () =>
          Promise.resolve({ role: "assistant", content: text, model: "m" });
        host.onloggingmessage = (params) => void record(params);
        host.onsizechange = (params) => void record(params);
        host.onrequestteardown = () => void record("teardown");
      },
    );
    await view.openLink("https://example.com/a");
    await view.sendMessage("hello");
    await view.updateModelContext({ content: [text], structuredContent: { row: 3 } });
    await view.download([file]);
    expect(await view.requestDisplayMode("fullscreen")).toBe("fullscreen");
    expect(await view.sample({ messages: [], maxTokens: 1 })).toMatchObject({ model: "m" });
    await view.log("info", "logged", "chart");
    await view.resize({ width: 400, height: 300 });
    await view.requestTeardown();
    await bridge.sendToolInputPartial({ arguments: { city: "Ber" } });
    await bridge.sendToolInput({ arguments: { city: "Berlin" } });
    await bridge.sendToolResult({ content: [text] });
    await bridge.sendToolCancelled({ reason: "late" });
    bridge.setHostContext({ theme: "light", locale: "de" });
    expect((await bridge.listTools({})).tools).toEqual([{ name: "move", inputSchema: { type: "object" } }]);
    expect(await bridge.callTool({ name: "move", arguments: { to: 3 } })).toMatchObject({
      content: [{ text: "moved to 3" }],
    });
    expect(await bridge.teardownResource({})).toEqual({});
    expect(heard).toEqual([
      "https://example.com/a",
      [text],
      { content: [text], structuredContent: { row: 3 } },
      [file],
      "fullscreen",
      { level: "info", data: "logged", logger: "chart" },
      { width: 400, height: 300 },
      "teardown",
    ]);
    expect(inside).toEqual([
      ["context", "light", undefined],
      ["partial", { city: "Ber" }],
      ["input", { city: "Berlin" }],
      ["result", [text]],
      ["cancelled", "late"],
      ["context", "light", "de"],
      "torn down",
    ]);
    expect(wire.problems).toEqual([]);
    const spoken = officialMethods.filter((method) => !method.includes("/sandbox-"));
    expect(spoken.filter((method) => !wire.methods.includes(method))).toEqual([]);
  });

  test("learns that the host refused", async () => {
    const { view } = await openOfficialHost({}, (host) => {
      host.onopenlink = () => Promise.resolve({ isError: true });
      const denied = Object.assign(new Error("denied"), { code: -32_000 });
      Object.assign(host, { onmessage: () => Promise.reject(denied) });
    });
    await expect(view.openLink("https://example.com")).rejects.toMatchObject({ code: "REFUSED" });
    await expect(view.sendMessage("hello")).rejects.toMatchObject({ code: "REFUSED" });
  });
});

describe("servers", () => {
  test.each(bothEras)(
    "the official helpers understand our tools, and our client (E-112, E-142, %s)",
    async (revision) => {
      const server = weather();
      let capabilities: unknown;
      server.addReceivingMiddleware((next) => (request) => {
        capabilities = request.client.capabilities;
        return next(request);
      });
      const session = await sessionWith(server, revision);
      const { tools } = await session.listTools();
      expect(helpers.getUiCapability(capabilities as never)).toEqual({
        mimeTypes: [helpers.RESOURCE_MIME_TYPE],
      });
      expect(session.serverCapabilities.extensions).toHaveProperty([helpers.EXTENSION_ID]);
      const facts = tools.map((tool) => [
        tool.name,
        getToolUiResourceUri(tool as never),
        isToolVisibilityModelOnly(tool as never),
        isToolVisibilityAppOnly(tool as never),
      ]);
      expect(facts).toEqual([
        ["delete", undefined, true, false],
        ["forecast", "ui://weather/chart", false, false],
        ["refresh", "ui://weather/chart", false, true],
      ]);
    },
  );

  test("our host shows the views of an official server", async () => {
    const server = new McpServer({ name: "official", version: "1.0.0" });
    const uri = "ui://official/view";
    const csp = { connectDomains: ["https://api.example.com"] };
    helpers.registerAppTool(server, "show", { _meta: { ui: { resourceUri: uri } } }, () => ({
      content: [text],
    }));
    helpers.registerAppTool(server, "hide", { _meta: { ui: { visibility: ["app"] } } }, () => ({
      content: [text],
    }));
    helpers.registerAppTool(server, "old", { _meta: { "ui/resourceUri": uri } }, () => ({ content: [text] }));
    helpers.registerAppResource(server, "view", uri, { _meta: { ui: { csp } } }, () => ({
      contents: [{ uri, mimeType: helpers.RESOURCE_MIME_TYPE, text: html }],
    }));
    const [here, there] = createInMemoryTransports();
    await server.connect(official(there) as never);
    const client = new Client(info);
    client.use(appHost());
    const session = await client.connect(here);
    onTestFinished(() => client.close());
    const { tools } = await session.listTools();
    expect(tools.map((tool) => [tool.name, viewUriOf(tool)])).toEqual([
      ["show", uri],
      ["hide", undefined],
      ["old", uri],
    ]);
    expect(modelTools(tools).map(({ name }) => name)).toEqual(["show", "old"]);
    expect(await loadView(session, uri)).toMatchObject({ html, csp });
  });
});
