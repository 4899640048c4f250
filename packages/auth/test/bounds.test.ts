import { expect, test } from "vitest";

import { deviceCode, isAuthError, workload, type ClientAuth, type DevicePrompt } from "../src/client.ts";
import { fetchJson } from "../src/server/fetch-json.ts";
import { openPromise, passing, setUp, turns } from "./setup.ts";

test("an assertion is sent again after a temporary failure, and not after a refusal", async () => {
  const { servers, provider, clock } = setUp({}, { grant: workload({ assertion: () => "the-same" }) });
  servers.script.next("token", { status: 503, body: {} });
  const first: unknown = await provider.login().catch((error: unknown) => error);
  expect(isAuthError(first, "AUTH_TEMPORARY")).toBe(true);
  clock.advance(600_000);
  servers.script.next("token", { body: { access_token: "t", token_type: "Bearer" } });
  await passing(clock, provider.login());
  expect(servers.of("token")).toHaveLength(2);

  const refused = setUp({}, { grant: workload({ assertion: () => "the-same" }) });
  refused.servers.script.always("token", { status: 400, body: { error: "invalid_grant" } });
  for (let attempt = 0; attempt < 3; attempt++) {
    const error: unknown = await refused.provider.login().catch((failure: unknown) => failure);
    expect(isAuthError(error, "GRANT_EXPIRED")).toBe(true);
    refused.clock.advance(600_000);
  }
  expect(refused.servers.of("token")).toHaveLength(1);
});

test.each([
  [1_000_000, 1800],
  [1800, 1800],
  [60, 60],
])("a device code that is valid for %i s is asked about for %i s", async (life, expected) => {
  let prompt: DevicePrompt | undefined;
  let started = 0;
  const shown = openPromise();
  const { servers, provider, clock } = setUp(
    { metadata: { device_authorization_endpoint: "https://as.example/device" } },
    {
      grant: deviceCode({
        show(begun) {
          prompt = begun;
          started = clock.date();
          shown.resolve();
        },
      }),
    },
  );
  const begun = { device_code: "d", user_code: "U", verification_uri: "https://as.example/u" };
  servers.script.next("device", { body: { ...begun, expires_in: life, interval: 5 } });
  servers.script.always("token", { status: 400, body: { error: "authorization_pending" } });
  const login = provider.login().catch((error: unknown) => error);
  // Modules are loaded in real time, for which no request has to wait.
  await passing(clock, shown.promise, 0);
  const outcome = await passing(clock, login, 5000);
  expect(isAuthError(outcome, "CALLBACK_TIMEOUT")).toBe(true);
  expect(prompt?.expiresAt).toBe(started + expected * 1000);
  expect(servers.of("token").length).toBeLessThanOrEqual(expected / 5);
});

test("a parameter that a challenge repeats is reported, and its last value is used", async () => {
  const { servers, provider, events } = setUp();
  const challenge = 'Bearer scope="first", scope="last"';
  servers.script.next("mcp", { status: 401, headers: { "www-authenticate": challenge } });
  await servers.call(provider);
  const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  expect(warnings).toEqual(["The challenge repeats the parameter scope; its last value is used."]);
  expect(servers.of("authorize")[0]?.parameters.get("scope")).toBe("last");
});

test("a response of exactly the maximum size is read, and one byte more is not", async () => {
  const body = JSON.stringify({ a: "x".repeat(100) });
  const read = (maxBytes: number): Promise<unknown> =>
    fetchJson("https://as.example/x", {
      subject: "document",
      fetch: () => Promise.resolve(new Response(body)),
      timeoutMs: 1000,
      maxBytes,
    });
  expect(await read(body.length)).toMatchObject({ status: 200 });
  await expect(read(body.length - 1)).rejects.toThrow(`longer than ${body.length - 1} bytes`);
});

test("a device code expires although the server wants to be asked less often", async () => {
  const { servers, provider, clock } = setUp(
    { metadata: { device_authorization_endpoint: "https://as.example/device" } },
    { grant: deviceCode({ show: () => {} }) },
  );
  servers.script.next("device", {
    body: {
      device_code: "d",
      user_code: "u",
      verification_uri: "https://as.example/device",
      expires_in: 60,
      interval: 1_000_000_000,
    },
  });
  const login = provider.login().catch((error: unknown) => error);
  const time = new Promise((resolve) => clock.setTimeout(() => resolve("too late"), 120_000, true));
  expect(await passing(clock, Promise.race([login, time]))).toMatchObject({ code: "CALLBACK_TIMEOUT" });
});

test("a listener that replaces itself when it is called is called once for each change", async () => {
  const { provider } = setUp({}, { interactive: "onLogin" });
  let calls = 0;
  let remove: (() => void) | undefined;
  const replace = (): void => {
    remove?.();
    calls++;
    // A limit for the case of failure.
    remove = calls < 100 ? provider.changed(replace) : undefined;
  };
  replace();
  await provider.login();
  expect(calls).toBe(2);
});

test("a refresh ends although the guard of the program never decides", async () => {
  let hangs = false;
  const { servers, provider, clock } = setUp(
    {},
    { interactive: "onLogin", guard: () => (hangs ? new Promise<never>(() => {}) : undefined) },
  );
  await provider.login();
  hangs = true;
  clock.advance(3_600_001);
  const call = servers.call(provider).catch((error: unknown) => error);
  const time = new Promise((resolve) => clock.setTimeout(() => resolve("too late"), 120_000, true));
  expect(await passing(clock, Promise.race([call, time]))).toMatchObject({ code: "AUTH_TEMPORARY" });
});

test("a refresh and a logout end although the client never authenticates", async () => {
  let hangs = false;
  const auth: ClientAuth = {
    methods: ["none"],
    authenticate: ({ body }) => (hangs ? new Promise<never>(() => {}) : body.set("client_id", "c")),
  };
  const { servers, provider, clock } = setUp({}, ({ issuer }) => ({
    interactive: "onLogin",
    client: { registered: [{ issuer, clientId: "c", auth }] },
  }));
  await provider.login();
  hangs = true;
  clock.advance(3_600_001);
  const time = new Promise((resolve) => clock.setTimeout(() => resolve("too late"), 120_000, true));
  const call = servers.call(provider).catch((error: unknown) => error);
  expect(await passing(clock, Promise.race([call, time]))).toMatchObject({ code: "AUTH_TEMPORARY" });
  expect(await passing(clock, Promise.race([provider.logout(), time]))).toBeUndefined();
});

test("a function for events that rejects is ignored like one that throws", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", note);
  const { provider } = setUp(
    {},
    {
      interactive: "onLogin",
      async onEvent() {
        await turns();
        throw new Error("The event could not be shown.");
      },
    },
  );
  await provider.login();
  await turns();
  await turns();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
