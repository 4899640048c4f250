import { expect, test } from "vitest";

import { createOAuth, memoryStore, type OAuthOptions } from "../src/client.ts";
import { passing, setUp } from "./setup.ts";

test("a client that the user mistypes and that logs nobody in ends no earlier login", async () => {
  const store = memoryStore();
  const named = (clientId: string): Partial<OAuthOptions> => ({
    interactive: "onLogin",
    store,
    client: { metadata: false, requestClient: (issuer) => ({ issuer, clientId }) },
  });
  const { servers, provider, clock, options } = setUp(
    { metadata: { registration_endpoint: undefined } },
    named("entered"),
  );
  await passing(clock, provider.login());
  await provider.close();
  const ids = ["mistyped", "entered"];
  const client = {
    metadata: false,
    requestClient: (issuer: string) => ({ issuer, clientId: ids.shift() ?? "" }),
  } as const;
  const restarted = createOAuth({ ...options, ...named(""), client });
  servers.script.next("token", { status: 400, body: { error: "invalid_request" } });
  await passing(
    clock,
    restarted.login().catch(() => {}),
  );
  clock.advance(3_600_000);
  expect((await passing(clock, servers.call(restarted))).status).toBe(200);
});
