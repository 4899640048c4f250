import { expect, test } from "vitest";

import { createOAuth, memoryStore, type OAuthOptions } from "../src/client.ts";
import { headersOf, openPromise, passing, setUp } from "./setup.ts";

type Client = NonNullable<OAuthOptions["client"]>;
type Request = NonNullable<Client["requestClient"]>;

const entered: Request = (issuer) => ({ issuer, clientId: "entered" });
/** A user who mistypes the client at first. */
function mistyping(): Request {
  const ids = ["mistyped"];
  return (issuer) => ({ issuer, clientId: ids.shift() ?? "entered" });
}

const from = (requestClient: Request): Client => ({ metadata: false, requestClient });

/** A provider that has its client from the user. `asked` counts how often the user was asked. */
function setUpAsking(request: Request = entered) {
  const count = { asked: 0 };
  const client = from((issuer) => {
    count.asked++;
    return request(issuer);
  });
  const setup = setUp(
    { metadata: { registration_endpoint: undefined } },
    { interactive: "onLogin", store: memoryStore(), client },
  );
  return { ...setup, count };
}

test("a login, its renewal and a logout ask the user once for the client", async () => {
  const { servers, provider, clock, count } = setUpAsking((issuer) =>
    count.asked === 1 ? entered(issuer) : new Promise<never>(() => {}),
  );
  await passing(clock, provider.login());
  clock.advance(3_600_000);
  expect((await passing(clock, servers.call(provider))).status).toBe(200);
  await passing(clock, provider.logout());
  expect([count.asked, servers.of("token").length, servers.of("revoke").length]).toEqual([1, 2, 2]);
});

test("the user is asked again for a client that the server rejects", async () => {
  const { servers, provider, clock, count } = setUpAsking();
  await passing(clock, provider.login());
  servers.script.next("token", { status: 401, body: { error: "invalid_client" } });
  clock.advance(3_600_000);
  await passing(
    clock,
    servers.call(provider).catch(() => {}),
  );
  await passing(clock, provider.logout());
  expect(count.asked).toBe(2);
});

test("a login after a login and a logout does not ask the user for the client again", async () => {
  const { servers, provider, clock, count } = setUpAsking();
  await passing(clock, provider.login());
  await passing(clock, provider.logout());
  await passing(clock, provider.login());
  expect([count.asked, (await servers.call(provider)).status]).toEqual([1, 200]);
});

test("the user is asked again for a client whose login failed", async () => {
  const { servers, provider, clock, count } = setUpAsking(mistyping());
  servers.script.next("token", { status: 400, body: { error: "unauthorized_client" } });
  await expect(passing(clock, provider.login())).rejects.toThrow();
  await passing(clock, provider.login());
  const [last] = servers.of("authorize").slice(-1);
  expect([count.asked, last?.url.searchParams.get("client_id")]).toEqual([2, "entered"]);
});

test("a client that the user mistypes and that logs nobody in ends no earlier login", async () => {
  const { servers, provider, clock, options } = setUpAsking();
  await passing(clock, provider.login());
  await provider.close();
  const restarted = createOAuth({ ...options, client: from(mistyping()) });
  servers.script.next("token", { status: 400, body: { error: "invalid_request" } });
  await passing(
    clock,
    restarted.login().catch(() => {}),
  );
  clock.advance(3_600_000);
  expect((await passing(clock, servers.call(restarted))).status).toBe(200);
});

test("a logout ends although the user is asked for a client and never answers", async () => {
  const waiting = openPromise();
  const { servers, provider, clock, options } = setUpAsking();
  await passing(clock, provider.login());
  await provider.close();
  const warnings: string[] = [];
  const restarted = createOAuth({
    ...options,
    client: from(() => {
      waiting.resolve();
      return new Promise<never>(() => {});
    }),
    onEvent: (event) => event.type === "warning" && warnings.push(event.message),
  });
  clock.advance(3_600_000);
  const call = servers.call(restarted).catch((error: unknown) => error);
  await passing(clock, Promise.race([waiting.promise, call]));
  await passing(clock, restarted.logout());
  expect(warnings).toEqual(["The tokens could not be revoked."]);
  expect(await headersOf(restarted, servers.server)).toBeUndefined();
  await restarted.close();
});
