import { approve, freePort, startLoginServer } from "@tenon/example-authorization-server";
import { authorizationCode, createOAuth, dpop, type OAuthProvider } from "@tenon/sdk/auth/client";
import { jwt } from "@tenon/sdk/auth/jwt";
import { createGuard, dpopProofs, protectedResource } from "@tenon/sdk/auth/server";
import { Client } from "@tenon/sdk/client";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { expect, test } from "vitest";

import { createNotesServer } from "../src/notes.ts";
import { serveNotes } from "../src/protect.ts";

const grant = authorizationCode({ redirectUri: "http://127.0.0.1:9/callback" });

/** Logs a user in, in two halves, as a web host does. */
async function logIn(oauth: OAuthProvider, user: string): Promise<void> {
  const { url } = await oauth.begin();
  await oauth.finish(await approve(new URL(url.href), user));
}

test("our client logs in, and asks for more scopes when a tool needs them", async () => {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  await using login = await startLoginServer(resource);
  await using listening = await serveNotes(resource, login.issuer, port);
  await using oauth = createOAuth({ server: listening.url, grant });
  const client = new Client({ name: "notes client", version: "1.0.0" });
  const connect = () => client.connect(new StreamableClientTransport(listening.url, { auth: oauth }));
  await expect(connect()).rejects.toThrow();
  await logIn(oauth, "ada");
  await using session = await connect();
  const add = () => session.callTool({ name: "add_note", arguments: { title: "rent" } });
  await expect(add()).rejects.toThrow();
  await logIn(oauth, "ada");
  expect(await add()).toMatchObject({ content: [{ text: "Added rent" }] });
  expect(oauth.status).toMatchObject({ scopes: ["notes:read", "notes:write"] });
});

test("our client binds its tokens to a key, and proves that it has the key with every request", async () => {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  await using login = await startLoginServer(resource);
  const proofs = dpopProofs({ required: true, nonces: true });
  const verify = jwt({ issuer: login.issuer });
  const guard = createGuard({ resource, verify, scopes: ["notes:read"], dpop: proofs });
  const metadata = protectedResource({
    resource,
    authorizationServers: [login.issuer],
    scopes: ["notes:read"],
    dpop: proofs,
  });
  const server = createNotesServer();
  const handler = createStreamableHandler({ getServer: () => server, ...guard });
  await using listening = await listen(handler, { port, routes: [metadata] });
  await using oauth = createOAuth({ server: listening.url, grant, proof: dpop() });
  const client = new Client({ name: "notes client", version: "1.0.0" });
  const connect = () => client.connect(new StreamableClientTransport(listening.url, { auth: oauth }));
  await expect(connect()).rejects.toThrow();
  await logIn(oauth, "ada");
  await using session = await connect();
  expect(await session.callTool({ name: "list_notes" })).toMatchObject({ content: [{ text: "" }] });
});
