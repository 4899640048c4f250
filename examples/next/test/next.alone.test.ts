import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { expect, test, vi } from "vitest";

import type * as route from "../src/app/mcp/route.ts";

type Route = typeof route;

/** Loads the route as a new instance of the function does. */
async function instance(): Promise<Route> {
  vi.resetModules();
  return import("../src/app/mcp/route.ts");
}

/** Passes requests to the instances in turn, as Next.js does: by the method, with a context. */
function fetchBy(instances: readonly Route[]): typeof fetch {
  let turn = 0;
  return (input, init) => {
    const request = new Request(input, init);
    const route = instances[turn++ % instances.length] as Route;
    const serve = route[request.method as "GET" | "POST" | "DELETE" | "OPTIONS"] as (
      request: Request,
      context: { readonly params: Promise<object> },
    ) => Promise<Response>;
    return serve(request, { params: Promise.resolve({}) });
  };
}

test("two instances of the route serve one call with an input request", async () => {
  vi.stubEnv("STATE_SECRET", Buffer.alloc(32, 7).toString("base64"));
  const fetch = fetchBy([await instance(), await instance()]);
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { elicitation: { form: () => ({ action: "accept", content: { people: 4 } }) } },
  );
  await using session = await client.connect(
    new StreamableClientTransport("http://localhost:3000/mcp", { fetch }),
  );
  const result = await session.callTool({ name: "book_room", arguments: { room: "Tenon" } });
  expect(result.content).toEqual([{ type: "text", text: "Tenon is booked for 4." }]);
  vi.unstubAllEnvs();
});

test("legacy clients list the tools, and other hosts are refused", async () => {
  const fetch = fetchBy([await instance()]);
  const client = new Client({ name: "test", version: "1.0.0" }, { revisions: ["2025-11-25"] });
  await using session = await client.connect(
    new StreamableClientTransport("http://localhost:3000/mcp", { fetch }),
  );
  expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["book_room"]);
  const refused = await fetch("https://other.example/mcp", { method: "POST", body: "{}" });
  expect(refused.status).toBe(403);
});
