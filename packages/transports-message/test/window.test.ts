import { expect, test } from "vitest";

import { windowTransport, type WindowLike } from "../src/index.ts";

const target: WindowLike = { closed: false, postMessage() {} };

function ownWindow(): EventTarget & { receive(event: object): void } {
  const own = new EventTarget();
  return Object.assign(own, {
    receive: (event: object) => own.dispatchEvent(Object.assign(new Event("message"), event)),
  });
}

test.each<[string, unknown]>([
  ["missing", undefined],
  ["with a path", "https://views.example/app"],
  ["with a slash at its end", "https://views.example/"],
  ["with capital letters", "https://Views.example"],
  ["with the default port", "https://views.example:443"],
  ["that is no URL", "https://"],
  ["that is a host", "views.example"],
  ["that is null", null],
])("an origin %s is refused, and the error says what to write", (_, origin) => {
  const options = { origin, window: ownWindow() } as { origin: string };
  expect(() => windowTransport(target, options)).toThrow(
    /origin must be an origin such as "https:\/\/views.example", "null" for sandboxed frames, or "\*"; got /,
  );
});

test.each(["https://views.example", "http://127.0.0.1:8080", "app://views", "null", "*"])(
  "the origin %s is accepted",
  (origin) => {
    expect(() => windowTransport(target, { origin, window: ownWindow() })).not.toThrow();
  },
);

test("a target that is not a window, and a platform without windows, are refused", () => {
  // @ts-expect-error: The window of a frame that is not in a document is null.
  expect(() => windowTransport(null, { origin: "*", window: ownWindow() })).toThrow("must be a window");
  expect(() => windowTransport(target, { origin: "*" })).toThrow("requires a browser window");
  // @ts-expect-error: No options.
  expect(() => windowTransport(target)).toThrow(TypeError);
});

test("a transport has one connection at a time", async () => {
  const transport = windowTransport(target, { origin: "*", window: ownWindow() });
  const first = await transport.connect();
  await expect(transport.connect()).rejects.toMatchObject({ code: "INVALID_STATE" });
  await first.close();
  await (await transport.connect()).close();
});

test("a write to a window that is closed rejects, and ends the connection", async () => {
  const closed: WindowLike = { ...target, closed: true };
  const link = await windowTransport(closed, { origin: "*", window: ownWindow() }).connect();
  await expect(link.write({ jsonrpc: "2.0", method: "m" })).rejects.toMatchObject({
    code: "CONNECTION_CLOSED",
  });
  await expect(link.read()).rejects.toThrow("The target window was closed");
});

test("a flood of foreign messages is reported a few times, and a callback that throws changes nothing", async () => {
  const warnings: string[] = [];
  const own = ownWindow();
  const link = await windowTransport(target, {
    origin: "https://views.example",
    window: own,
    onWarning(message) {
      warnings.push(message);
      throw new Error("on purpose");
    },
  }).connect();
  const note = { jsonrpc: "2.0", method: "m" };
  for (let n = 0; n < 1000; n++) {
    own.receive({ source: {}, origin: "https://evil.example", data: note });
  }
  expect(warnings).toHaveLength(10);
  expect(warnings[9]).toBe(
    'Dropped a message from another window (origin "https://evil.example"). 512 dropped so far.',
  );
  own.receive({ source: target, origin: "https://views.example", data: note });
  expect(await link.read()).toEqual(note);
  await link.close();
});

test("a last frame without a source is believed with the id of the peer and its origin only", async () => {
  const own = ownWindow();
  const origin = "https://views.example";
  const link = await windowTransport(target, { origin, window: own }).connect();
  const room = { maxQueued: 1, maxBufferedBytes: 1, maxMessageBytes: 1 };
  own.receive({
    source: target,
    origin,
    data: { "dev.tenon/link": { kind: "open", id: "secret", isReply: true, room } },
  });
  const close = (id: string): object => ({ "dev.tenon/link": { kind: "close", id } });
  own.receive({ source: null, origin, data: close("guess") });
  own.receive({ source: null, origin: "https://evil.example", data: close("secret") });
  own.receive({ source: {}, origin, data: close("secret") });
  own.receive({ source: null, origin, data: { jsonrpc: "2.0", method: "m" } });
  let ended = false;
  const read = link.read().then((message) => {
    ended = true;
    return message;
  });
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  own.receive({ source: null, origin, data: close("secret") });
  expect(await read).toBeUndefined();
});
