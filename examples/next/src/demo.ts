// Calls the exported functions of the route as Next.js does, without Next.js.
import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";

process.env["STATE_SECRET"] ??= Buffer.alloc(32, 7).toString("base64");
const { GET, POST, DELETE } = await import("./app/mcp/route.ts");

const route: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const respond = { GET, POST, DELETE }[request.method as "GET" | "POST" | "DELETE"];
  const response = await respond(request);
  console.log(`  ${request.method} /mcp → ${response.status} ${response.headers.get("content-type") ?? ""}`);
  return response;
};

const client = new Client(
  { name: "visitor", version: "1.0.0" },
  { elicitation: { form: () => Promise.resolve({ action: "decline" }) } },
);
const session = await client.connect(
  new StreamableClientTransport("http://localhost:3000/mcp", { fetch: route }),
);
const { tools } = await session.listTools();
console.log(`The route offers: ${tools.map(({ name }) => name).join(", ")}`);
await client.close();
