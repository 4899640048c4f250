import { once } from "node:events";
import { request } from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

import { loopbackReceiver } from "@tenon/auth/node";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { expect, test } from "vitest";

const never = new AbortController().signal;

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A request as no browser would let a page make it. */
function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: false, ...options }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

test("the response with the expected state is received, and a second one finds nobody (A-029)", async () => {
  const receiver = await loopbackReceiver().open(never, { state: "s" });
  expect(receiver.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const { status, headers, body } = await ask(`${receiver.redirectUri}?code=c&state=s&iss=https%3A%2F%2Fas`);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; frame-ancestors 'none'$/,
    ),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  expect(body).toContain("<h1>Return to the application</h1>");
  const response = await receiver.response;
  expect(Object.fromEntries(response)).toEqual({ code: "c", state: "s", iss: "https://as" });
  await expect(ask(`${receiver.redirectUri}?code=evil&state=s`)).rejects.toMatchObject({
    code: "ECONNREFUSED",
  });
});

test("A-023, A-024: a response with another state is refused, and the wait goes on", async () => {
  await using receiver = await loopbackReceiver().open(never, { state: "s" });
  for (const query of ["?code=c", "?code=c&state=t", "?code=c&state=s&state=s", "?state=", ""]) {
    expect((await ask(receiver.redirectUri + query)).status).toBe(400);
  }
  const { body } = await ask(`${receiver.redirectUri}?error=access_denied&state=s`);
  expect(body).toContain("<h1>Login refused</h1>");
  expect((await receiver.response).get("error")).toBe("access_denied");
});

test("A-025: a flood of wrong responses does not end the wait", async () => {
  await using receiver = await loopbackReceiver().open(never, { state: "s" });
  for (let round = 0; round < 20; round++) {
    const answers = Array.from({ length: 50 }, () => ask(`${receiver.redirectUri}?code=c&state=${round}`));
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([400]));
  }
  await ask(`${receiver.redirectUri}?code=c&state=s`);
  expect((await receiver.response).get("code")).toBe("c");
});

test("connections that send nothing are closed in favor of new ones", async () => {
  await using receiver = await loopbackReceiver().open(never, { state: "s" });
  const { port } = new URL(receiver.redirectUri);
  const idle: Socket[] = [];
  let closed = 0;
  for (let index = 0; index < 100; index++) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {}).on("close", () => closed++);
    idle.push(socket);
    await once(socket, "connect");
  }
  expect((await ask(`${receiver.redirectUri}?code=c&state=s`)).status).toBe(200);
  expect(closed).toBeGreaterThan(0);
  idle.forEach((socket) => socket.destroy());
});

test("A-026: a request for another host is misdirected", async () => {
  await using receiver = await loopbackReceiver().open(never, { state: "s" });
  const { port } = new URL(receiver.redirectUri);
  for (const host of ["evil.example", `evil.example:${port}`, `localhost:${port}`, "127.0.0.1"]) {
    const { status } = await ask(`${receiver.redirectUri}?code=c&state=s`, { headers: { host } });
    expect(status).toBe(421);
  }
});

test("A-027, A-031: only GET of the one path is accepted", async () => {
  await using receiver = await loopbackReceiver().open(never, { state: "s" });
  for (const method of ["POST", "HEAD", "OPTIONS", "PUT"]) {
    expect((await ask(`${receiver.redirectUri}?code=c&state=s`, { method })).status).toBe(405);
  }
  const { origin } = new URL(receiver.redirectUri);
  for (const path of ["/", "/favicon.ico", "/callback/", "/CALLBACK", "//callback"]) {
    expect((await ask(`${origin}${path}?code=c&state=s`)).status).toBe(404);
  }
});

test("A-030: pages contain nothing of the request", async () => {
  await using receiver = await loopbackReceiver().open(never, { state: "s" });
  const canary = "%3Cscript%3Ecanary%3C/script%3E";
  const first = await ask(`${receiver.redirectUri}?state=${canary}&error=${canary}`);
  const second = await ask(`${receiver.redirectUri}?state=s&error=x&error_description=${canary}`);
  expect(JSON.stringify([first, second])).not.toContain("canary");
});

test("A-032: a response that is too long is refused", async () => {
  await using receiver = await loopbackReceiver().open(never, { state: "s" });
  const { status } = await ask(`${receiver.redirectUri}?state=s&code=${"c".repeat(10_000)}`);
  expect(status).toBe(431);
});

test("A-028: a fixed port that is in use is an error, also if it is in use on the other address of localhost", async () => {
  const squatter = createServer();
  squatter.listen(0, "::1");
  await once(squatter, "listening");
  const { port } = squatter.address() as AddressInfo;
  await expect(
    loopbackReceiver({ port, host: "localhost" }).open(never, { state: "s" }),
  ).rejects.toMatchObject({ code: "LIMIT" });
  // Nothing is left that listens on the first address.
  await expect(ask(`http://127.0.0.1:${port}/callback`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  squatter.close();
});

test("localhost listens on both addresses with one port", async () => {
  await using receiver = await loopbackReceiver({ host: "localhost" }).open(never, { state: "s" });
  const { host, port } = new URL(receiver.redirectUri);
  expect(receiver.redirectUri).toBe(`http://localhost:${port}/callback`);
  for (const address of ["127.0.0.1", "[::1]"]) {
    const { status } = await ask(`http://${address}:${port}/callback?state=t`, { headers: { host } });
    expect(status).toBe(400);
  }
});

test("the port of an earlier registration is used again if it is free", async () => {
  const first = await loopbackReceiver().open(never, { state: "s" });
  const { redirectUri } = first;
  first.response.catch(() => {});
  await first[Symbol.asyncDispose]();
  const second = await loopbackReceiver().open(never, { state: "t", redirectUri });
  expect(second.redirectUri).toBe(redirectUri);
  await using third = await loopbackReceiver().open(never, { state: "u", redirectUri });
  expect(third.redirectUri).not.toBe(redirectUri);
  await second[Symbol.asyncDispose]();
  await using other = await loopbackReceiver({ path: "/other" }).open(never, { state: "v", redirectUri });
  expect(other.redirectUri).toMatch(/\/other$/);
});

test("a user who does not come back fails the login after the timeout, and a signal at once", async () => {
  const clock = createVirtualClock();
  const receiver = await loopbackReceiver({ clock }).open(never, { state: "s" });
  clock.advance(300_000);
  await expect(receiver.response).rejects.toMatchObject({ code: "CALLBACK_TIMEOUT", status: 401 });
  await expect(ask(receiver.redirectUri)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  const controller = new AbortController();
  const other = await loopbackReceiver().open(controller.signal, { state: "s" });
  controller.abort(new Error("enough"));
  await expect(other.response).rejects.toThrow("enough");
});

test.each(["callback", "//evil.example/", "/a?b", "/a#b", "/a b"])("the path %s is refused", (path) => {
  expect(() => loopbackReceiver({ path })).toThrow(TypeError);
});
