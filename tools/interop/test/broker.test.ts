import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  type OAuthClientProvider as ProviderV2,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { authorizationCode, createOAuth } from "@tenon/sdk/auth/client";
import { loopbackReceiver } from "@tenon/sdk/auth/node";
import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { expect, test } from "vitest";

import { click, startNotes } from "./broker/notes.ts";

const redirectUrl = "http://localhost:8765/callback";

/** What a program keeps for the official clients, by their default options. */
function keeping(): { readonly provider: OAuthClientProvider; back(): Promise<URL> } {
  const kept: Record<string, unknown> = {};
  let asked: URL | undefined;
  return {
    provider: {
      redirectUrl,
      clientMetadata: {
        client_name: "Official client",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
      clientInformation: () => kept["client"] as { client_id: string } | undefined,
      saveClientInformation: (value) => void (kept["client"] = value),
      tokens: () => kept["tokens"] as { access_token: string; token_type: string } | undefined,
      saveTokens: (value) => void (kept["tokens"] = value),
      codeVerifier: () => String(kept["verifier"]),
      saveCodeVerifier: (value) => void (kept["verifier"] = value),
      redirectToAuthorization: (url) => void (asked = url),
    },
    back: () =>
      asked === undefined
        ? Promise.reject(new Error("No login was asked for"))
        : click(asked, (url) => url.startsWith(redirectUrl)),
  };
}

const whoCall = { name: "who", arguments: {} };
const alice = [{ type: "text", text: "development:alice" }];

test("the official client 1.x logs in through the broker, by default options (R-742, R-748)", async () => {
  await using notes = await startNotes();
  const { provider, back } = keeping();
  const connect = async (): Promise<ClientV1> => {
    const client = new ClientV1({ name: "official", version: "1.0.0" });
    await client.connect(new TransportV1(notes.url, { authProvider: provider }));
    return client;
  };
  await expect(connect()).rejects.toThrow(/[Uu]nauthorized/);
  const transport = new TransportV1(notes.url, { authProvider: provider });
  await transport.finishAuth((await back()).searchParams.get("code") ?? "");
  const client = await connect();
  expect((await client.callTool(whoCall)).content).toEqual(alice);
  await client.close();
});

test("the official client 2.x logs in through the broker, by default options (R-753)", async () => {
  await using notes = await startNotes();
  const { provider, back } = keeping();
  const authProvider = provider as unknown as ProviderV2;
  const connect = async (): Promise<ClientV2> => {
    const client = new ClientV2({ name: "official", version: "1.0.0" });
    await client.connect(new TransportV2(notes.url, { authProvider }));
    return client;
  };
  await expect(connect()).rejects.toThrow(/[Uu]nauthorized/);
  await new TransportV2(notes.url, { authProvider }).finishAuth((await back()).searchParams);
  const client = await connect();
  expect((await client.callTool(whoCall)).content).toEqual(alice);
  await client.close();
});

/** The revisions with authorization. */
const revisions = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

test.for(revisions)("our client logs in through the broker in %s, by default options", async (revision) => {
  await using notes = await startNotes();
  await using auth = createOAuth({
    server: notes.url.href,
    interactive: true,
    grant: authorizationCode({
      receiver: loopbackReceiver(),
      open: async ({ href }) => {
        await fetch(
          await click(new URL(href), (url) => !url.startsWith("/") && !url.startsWith(notes.url.origin)),
        );
      },
    }),
  });
  const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
  const session = await client.connect(new StreamableClientTransport(notes.url, { auth }));
  expect(session.revision).toBe(revision);
  expect((await session.callTool(whoCall)).content).toEqual(alice);
  await session.close();
});
