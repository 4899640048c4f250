import { readFileSync } from "node:fs";

import { freePort } from "@tenon/example-authorization-server";
import { memoryStore } from "@tenon/sdk/auth/client";
import { startKeycloak, submitLogin } from "@tenon/test-support/keycloak";
import { expect, test } from "vitest";

import { connect } from "../src/connect.ts";
import { serveNotes } from "../src/protect.ts";

const home = process.env["KEYCLOAK_HOME"];

test.skipIf(home === undefined)(
  "the example client logs in at Keycloak with the realm of the recipe, and is known by its tokens (set KEYCLOAK_HOME to run)",
  { timeout: 900_000 },
  async () => {
    await using keycloak = await startKeycloak(
      home ?? "",
      readFileSync(new URL("../keycloak/realm.json", import.meta.url), "utf8"),
    );
    const port = await freePort();
    const resource = `http://127.0.0.1:${port}/mcp`;
    const server = await serveNotes(resource, keycloak.issuer, port, "notes");
    let visits = 0;
    const options = {
      store: memoryStore(),
      client: { registered: [{ issuer: keycloak.issuer, clientId: "notes-client" }] },
      async open({ href }: { readonly href: string }) {
        visits++;
        const page = await fetch(await submitLogin(new URL(href), "ada", "ada"));
        expect(page.status).toBe(200);
      },
    };
    const { session, authorized } = await connect(resource, options);
    expect(visits).toBe(1);
    await authorized(() => session.callTool({ name: "add_note", arguments: { title: "Buy milk" } }));
    expect(visits).toBe(2);
    const { content } = await session.callTool({ name: "list_notes", arguments: {} });
    expect(content).toMatchObject([{ text: "Buy milk" }]);
    const { status } = await fetch(resource, { headers: { authorization: "Bearer none" } });
    expect(status).toBe(401);
    await session.close();
    await server.close({ drainMs: 0 });
  },
);
