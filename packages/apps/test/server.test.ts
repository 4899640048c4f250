import { apps, hasApps, type ToolView, type ViewDefinition } from "@tenon/apps/server";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

const extension = "io.modelcontextprotocol/ui";
const viewType = "text/html;profile=mcp-app";
const html = "<!doctype html><title>Chart</title>";
const chart: ViewDefinition = {
  uri: "ui://weather/chart",
  title: "Chart",
  html,
  csp: { connectDomains: ["https://api.example.com"], resourceDomains: ["https://*.cdn.example.com:8443"] },
  permissions: ["camera", "clipboardWrite"],
  domain: "weather.host.example",
  prefersBorder: true,
};
const meta = {
  ui: {
    csp: chart.csp,
    permissions: { camera: {}, clipboardWrite: {} },
    domain: "weather.host.example",
    prefersBorder: true,
  },
};

async function connect(server: Server, client: Client): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
  });
  return client.connect(here);
}

test.each(bothEras)(
  "R-709: a tool points to its view, which is a resource with its metadata (E-101, E-102, E-108, %s)",
  async (revision) => {
    const server = new Server({ name: "s", version: "1.0.0" });
    server.use(apps({ views: [chart, { uri: "ui://weather/map", html: ({ method }) => `<p>${method}` }] }));
    server.addTool(
      { name: "forecast", ui: "ui://weather/chart", _meta: { "com.example/x": 1 } },
      () => "Sunny",
    );
    server.addTool(
      { name: "refresh", ui: { view: "ui://weather/map", visibility: ["app"] } },
      () => "refreshed",
    );
    server.addTool({ name: "hidden", ui: { visibility: ["model"] } }, () => "");
    const client = new Client(
      { name: "c", version: "1.0.0" },
      { revisions: [revision], extensions: { [extension]: { mimeTypes: [viewType] } } },
    );
    const session = await connect(server, client);
    expect(session.serverCapabilities.extensions).toEqual({ [extension]: {} });
    const { tools } = await session.listTools();
    expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
      ["forecast", { "com.example/x": 1, ui: { resourceUri: "ui://weather/chart" } }],
      ["hidden", { ui: { visibility: ["model"] } }],
      ["refresh", { ui: { resourceUri: "ui://weather/map", visibility: ["app"] } }],
    ]);
    const { resources } = await session.listResources();
    expect(resources).toEqual([
      { uri: "ui://weather/chart", name: "weather/chart", title: "Chart", mimeType: viewType, _meta: meta },
      { uri: "ui://weather/map", name: "weather/map", mimeType: viewType, _meta: { ui: {} } },
    ]);
    const read = await session.readResource({ uri: "ui://weather/chart" });
    expect(read.contents).toEqual([
      { uri: "ui://weather/chart", mimeType: viewType, text: html, _meta: meta },
    ]);
    const map = await session.readResource({ uri: "ui://weather/map" });
    expect(map.contents).toMatchObject([{ text: "<p>resources/read" }]);
  },
);

test.each(bothEras)(
  "a handler knows whether the client shows views, and a call for views is warned of once (E-144, %s)",
  async (revision) => {
    const warnings: string[] = [];
    const server = new Server({ name: "s", version: "1.0.0" });
    const onWarning = (message: string): void => {
      warnings.push(message);
      throw new Error("The log is full");
    };
    server.use(apps({ views: [chart], onWarning }));
    const answer = (_: unknown, context: Parameters<typeof hasApps>[0]): string =>
      hasApps(context) ? "see the chart" : "sunny, then rain";
    server.addTool({ name: "forecast", ui: chart.uri }, answer);
    server.addTool({ name: "refresh", ui: { visibility: ["app"] } }, answer);
    const texts: unknown[] = [];
    for (const extensions of [
      undefined,
      { [extension]: { mimeTypes: ["text/html"] } },
      { [extension]: {} },
      { [extension]: { mimeTypes: [viewType] } },
    ]) {
      const client = new Client({ name: "c", version: "1.0.0" }, { revisions: [revision], extensions });
      const session = await connect(server, client);
      for (const name of ["forecast", "refresh", "refresh"]) {
        texts.push((await session.callTool({ name })).content);
      }
    }
    const plain = [{ type: "text", text: "sunny, then rain" }];
    expect(texts).toEqual([
      ...Array.from({ length: 9 }, () => plain),
      ...Array.from({ length: 3 }, () => [{ type: "text", text: "see the chart" }]),
    ]);
    expect(warnings).toEqual(["The tool refresh is for views, but a client without views has called it."]);
  },
);

test.each<[string, unknown, string]>([
  [
    "an unknown view",
    "ui://weather/chrat",
    "view must be one of the views of apps({ views }) (ui://weather/chart)",
  ],
  ["an unknown view of an object", { view: "x" }, 'got "x"'],
  ["a number", 3, "it must be the URI of a view"],
  ["no visibility", { visibility: [] }, 'a list of "model" and "app"'],
  ["an unknown visibility", { visibility: ["user"] }, 'a list of "model" and "app"; got ["user"]'],
])("a tool with %s is refused (E-110)", (_, ui, message) => {
  const server = new Server({ name: "s", version: "1.0.0" });
  server.use(apps({ views: [chart] }));
  expect(() => {
    server.addTool({ name: "t", ui: ui as ToolView }, () => "");
  }).toThrow(message);
});

test("a tool with a view of its own in _meta is refused", () => {
  const server = new Server({ name: "s", version: "1.0.0" });
  server.use(apps({ views: [chart] }));
  expect(() => {
    server.addTool({ name: "t", ui: chart.uri, _meta: { ui: {} } }, () => "");
  }).toThrow("The option ui of tool t: a tool has either ui or _meta.ui, not both.");
});

test.each<[string, object, string]>([
  ["another scheme", { uri: "https://example.com" }, "must begin with ui://"],
  ["no name", { uri: "ui://" }, "must begin with ui://"],
  ["no html", { html: undefined }, "html must be a string or a function; got undefined"],
  ["an unknown permission", { permissions: ["usb"] }, 'got "usb"'],
  ["an unknown field", { csp: { scriptDomains: [] } }, 'got "scriptDomains"'],
  ["a string of origins", { csp: { connectDomains: "https://a.example" } }, "must be a list"],
  ["too many origins", { csp: { connectDomains: Array(101).fill("https://a.example") } }, "at most 100"],
  ...[
    "*",
    "https:",
    "https://*",
    "https://*.com",
    "data:",
    "'unsafe-eval'",
    "a.example",
    "https://a.example/path",
    "https://a.example; script-src *",
    "https://a.example https://b.example",
    "https://a.example\n",
    "javascript://a.example",
    "https://user@a.example",
    "",
    7,
  ].map((source): [string, object, string] => [
    `the source ${JSON.stringify(source)}`,
    { csp: { resourceDomains: [source] } },
    "csp.resourceDomains must have origins such as https://api.example.com",
  ]),
])("a view with %s is refused (E-100)", (_, change, message) => {
  expect(() => apps({ views: [{ ...chart, ...change }] })).toThrow(message);
});

test("two views with one URI are refused", () => {
  const server = new Server({ name: "s", version: "1.0.0" });
  expect(() => {
    server.use(apps({ views: [chart, chart] }));
  }).toThrow("ui://weather/chart");
});

test("a view whose html is not a string fails, and says so to the server alone", async () => {
  const errors: unknown[] = [];
  const server = new Server({ name: "s", version: "1.0.0" }, { onError: (error) => void errors.push(error) });
  server.use(apps({ views: [{ uri: "ui://x", html: () => 3 as never }] }));
  const session = await connect(server, new Client({ name: "c", version: "1.0.0" }));
  await expect(session.readResource({ uri: "ui://x" })).rejects.toMatchObject({ code: -32_603 });
  expect(String(errors)).toContain("html of the view ui://x must return a string; got number");
});
