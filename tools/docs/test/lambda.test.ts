import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { expect, test } from "vitest";

import { lambda } from "./guide/lambda.ts";

/** Passes a request to the function as a function URL does. */
async function invoke(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { pathname, search, hostname } = new URL(request.url);
  const body = request.body === null ? {} : { body: Buffer.from(await request.text()).toString("base64") };
  const result = (await lambda({
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(request.headers),
    ...body,
    isBase64Encoded: true,
    requestContext: { domainName: hostname, http: { method: request.method } },
  })) as { statusCode: number; headers: Record<string, string>; body: string };
  const isEmpty = [202, 204].includes(result.statusCode);
  return new Response(isEmpty ? null : result.body, { status: result.statusCode, headers: result.headers });
}

test.each(["2025-11-25", "2026-07-28"] as const)(
  "the function of docs/deployment.md serves clients of %s",
  async (revision) => {
    // Clients remember the era of an address, so each revision has its own.
    const transport = new StreamableClientTransport(`https://mcp.example.com/${revision}`, { fetch: invoke });
    const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
    await using session = await client.connect(transport);
    expect((await session.callTool({ name: "greet" })).content).toEqual([{ type: "text", text: "Hello!" }]);
  },
);

test("the function refuses other hosts", async () => {
  expect((await invoke("https://other.example/mcp", { method: "POST", body: "{}" })).status).toBe(403);
});
