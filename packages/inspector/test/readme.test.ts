import { createInspector } from "@tenon/inspector";
import { startInspector } from "@tenon/inspector/node";
import { Server } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { CommandTransport } from "@tenon/transports-stdio";
import { expect, test } from "vitest";

test("the README shows an inspector that starts, and one that is mounted", async () => {
  const server = new Server({ name: "greeter", version: "1.0.0" });
  // #region start
  const transport = new CommandTransport({ command: "node", args: ["server.js"] });
  await using started = await startInspector({
    source: { kind: "live", label: "node server.js", transport },
  });
  console.log(`Open ${started.url.href}`);
  // #endregion start
  expect(started.url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=\w{64}$/);

  const [here, there] = createInMemoryTransports();
  // #region mount
  const inspector = createInspector({ source: { kind: "tap", label: "greeter" }, path: "/inspector/" });
  await server.connect(inspector.observe(there, "server"));

  // In your development server, for every request below /inspector/:
  const response = await inspector.handle(new Request("http://localhost:3000/inspector/"));
  console.log(`Open ${inspector.link("http://localhost:3000").href}`);
  // #endregion mount
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  await (await here.connect()).close();
  await inspector.close();
});
