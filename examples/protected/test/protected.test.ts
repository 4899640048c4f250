import {
  Client as OfficialClient,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { approve } from "@tenon/example-authorization-server";
import { Client, type ClientSession } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { expect, test } from "vitest";

import { tokenFor } from "./login.ts";
import { start, type Started } from "./start.ts";

/** A session of a user with a token that has these scopes. */
async function connectAs(user: string, { issuer, resource }: Started, scope: string) {
  const authorization = `Bearer ${await tokenFor(user, issuer, resource, scope)}`;
  const client = new Client({ name: "test", version: "1.0.0" });
  return client.connect(new StreamableClientTransport(new URL(resource), { headers: { authorization } }));
}

async function toolsOf(session: ClientSession): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of session.tools()) {
    names.push(name);
  }
  return names;
}

const textOf = ({ content: [first] }: { content: readonly object[] }): unknown =>
  first !== undefined && "text" in first ? first.text : undefined;

test("without a token the server says where to get one, and the documents lead to the authorization server", async () => {
  await using notes = await start();
  const refused = await fetch(notes.resource, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  expect(refused.status).toBe(401);
  const [, metadataUrl = ""] =
    /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
  const metadata = await (await fetch(metadataUrl)).json();
  expect(metadata).toMatchObject({ resource: notes.resource, authorization_servers: [notes.issuer] });
});

test("users have notes of their own, and tools by their scopes", async () => {
  await using notes = await start();
  await using ada = await connectAs("ada", notes, "notes:read notes:write");
  await using bob = await connectAs("bob", notes, "notes:read");
  expect(await toolsOf(ada)).toEqual(["add_note", "delete_note", "list_notes"]);
  expect(await toolsOf(bob)).toEqual(["list_notes"]);
  await ada.callTool({ name: "add_note", arguments: { title: "!rent" } });
  expect(textOf(await ada.callTool({ name: "list_notes" }))).toBe("!rent");
  expect(textOf(await bob.callTool({ name: "list_notes" }))).toBe("");
  await expect(bob.callTool({ name: "add_note", arguments: { title: "x" } })).rejects.toThrow();
  await expect(ada.callTool({ name: "delete_note", arguments: { title: "!rent" } })).rejects.toThrow();
  await using admin = await connectAs("ada", notes, "notes:write notes:admin");
  await admin.callTool({ name: "delete_note", arguments: { title: "!rent" } });
  expect(textOf(await ada.callTool({ name: "list_notes" }))).toBe("");
});

test("the official client logs in and calls a tool", async () => {
  await using notes = await start();
  let callback: URL | undefined;
  const kept = new Map<string, unknown>();
  const provider: OAuthClientProvider = {
    redirectUrl: "http://127.0.0.1:9/callback",
    clientMetadata: {
      client_name: "official",
      redirect_uris: ["http://127.0.0.1:9/callback"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.get("client") as never,
    saveClientInformation: (client) => void kept.set("client", client),
    tokens: () => kept.get("tokens") as never,
    saveTokens: (tokens) => void kept.set("tokens", tokens),
    saveCodeVerifier: (verifier) => void kept.set("verifier", verifier),
    codeVerifier: () => kept.get("verifier") as string,
    redirectToAuthorization: async (url) => {
      callback = await approve(url, "ada");
    },
  };
  const client = new OfficialClient({ name: "official", version: "1.0.0" });
  const first = new StreamableHTTPClientTransport(new URL(notes.resource), { authProvider: provider });
  await expect(client.connect(first)).rejects.toThrow(UnauthorizedError);
  await first.finishAuth(callback?.searchParams ?? new URLSearchParams());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(notes.resource), { authProvider: provider }),
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["list_notes"]);
  const { content } = await client.callTool({ name: "list_notes", arguments: {} });
  expect(content).toEqual([{ type: "text", text: "" }]);
  await client.close();
});
