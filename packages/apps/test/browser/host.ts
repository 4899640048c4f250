// A host that is a web page, with a server in the same page.
import { appHost, loadView, openBridge, sandboxFrame, type ViewBridge } from "@tenon/apps/host";
import { apps } from "@tenon/apps/server";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { windowTransport } from "@tenon/transports-message";

const query = new URLSearchParams(location.search);
const proxyUrl = query.get("proxy") ?? "";
const uri = "ui://weather/chart";
/** What the view has logged, and the methods that it has sent. */
const logged: unknown[] = [];
const methods: string[] = [];

async function openSession(): Promise<ClientSession> {
  const server = new Server({ name: "weather", version: "1.0.0" });
  const declared = query.getAll("declared");
  server.use(
    apps({
      views: [
        {
          uri,
          html: async () => (await fetch("/view.html")).text(),
          csp: { connectDomains: declared, resourceDomains: declared, frameDomains: query.getAll("framed") },
          permissions: ["camera", "microphone"],
        },
      ],
    }),
  );
  const input = { type: "object", properties: { city: { type: "string" } } } as const;
  server.addTool({ name: "forecast", ui: uri, input }, () => "Sunny");
  server.addTool({ name: "refresh", ui: { visibility: ["app"] } }, () => "Rain");
  server.addTool({ name: "delete", ui: { visibility: ["model"] } }, () => "deleted");
  const client = new Client({ name: "page", version: "1.0.0" });
  client.use(appHost());
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return client.connect(here);
}

async function show(session: ClientSession): Promise<ViewBridge> {
  // #region show
  const view = await loadView(session, uri, { permissions: ["camera"] }); // granted if asked for
  const frame = document.createElement("iframe");
  for (const [name, value] of Object.entries(sandboxFrame(proxyUrl, view))) {
    frame.setAttribute(name, value);
  }
  document.body.append(frame);
  const { origin } = new URL(proxyUrl);
  const bridge = await openBridge(session, {
    transport: windowTransport(frame.contentWindow as Window, { origin }),
    info: { name: "page", version: "1.0.0" },
    view,
    context: { theme: "dark", styles: { variables: { "--color-text-primary": "rgb(1, 2, 3)" } } },
    onResize: ({ height }) => {
      frame.style.height = `${height}px`;
    },
    onLog: ({ data }) => void logged.push(data),
  });
  bridge.sendInput({ city: "Berlin" });
  bridge.sendResult(await session.callTool({ name: "forecast", arguments: { city: "Berlin" } }));
  // #endregion show
  return bridge;
}

addEventListener("message", ({ data }: MessageEvent<{ readonly method?: unknown } | null>) => {
  methods.push(String(data?.method));
});
const session = await openSession();
const bridge = await show(session);
Object.assign(globalThis, { bridge, logged, methods });
