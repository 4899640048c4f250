import { transportConformance } from "@tenon/jsonrpc2/testing";
import {
  bundleForBrowser,
  chromiumPath,
  openPage,
  serveSite,
  startChromium,
  type Browser,
  type Page,
  type Site,
} from "@tenon/test-support/chromium";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import type { HostHooks, KitHooks } from "./hooks.ts";

const script = (path: string): string => `<!doctype html><body><script type="module" src="${path}"></script>`;

/** The names of the checks of a kit, as the page registers them. */
function checksOf(inject: boolean): string[] {
  const names: string[] = [];
  const unused = (): Promise<never> => Promise.reject(new Error("Only the names are used."));
  transportConformance({ test: (name) => names.push(name) }, unused, {
    connect: unused,
    ...(inject ? { inject: unused } : {}),
  });
  return names;
}

const kits = [
  ["port", checksOf(true)],
  ["channel", checksOf(false)],
  ["window", checksOf(true)],
] as const;

describe.skipIf(chromiumPath === undefined)("in Chromium (skipped without Chromium)", () => {
  let site: Site;
  let browser: Browser;
  const errors: string[] = [];

  const bundle = (name: string): Promise<string> =>
    bundleForBrowser(new URL(`browser/${name}.ts`, import.meta.url));

  beforeAll(async () => {
    site = await serveSite({
      "/kits": script("/kits.js"),
      "/host": script("/host.js"),
      "/frame": script("/frame.js"),
      "/readme": {
        body: `<iframe></iframe>${script("/readme.js")}<script>
        addEventListener("message", ({ data }) => { if (data.a) { globalThis.answer = data; } });
        addEventListener("load", () => {
          const { origin, searchParams } = new URL(location.href);
          document.querySelector("iframe").src = searchParams.get("origin") + "/readme-frame?origin=" + origin;
        });
      </script>`,
      },
      "/readme-frame": script("/readme.js"),
      "/readme.js": await bundle("readme"),
      "/kits.js": await bundle("kits"),
      "/host.js": await bundle("host"),
      "/worker.js": await bundle("worker"),
      "/frame.js": {
        body: await bundle("frame"),
        // Sandboxed frames have the origin null, and scripts of modules are fetched with CORS.
        headers: { "access-control-allow-origin": "*" },
      },
    });
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
    expect(errors).toEqual([]);
  });

  const open = (path: string): Promise<Page> =>
    openPage(browser, `${site.origin}${path}`, ({ message }) => errors.push(message));

  describe.each(kits)("the kit over a %s", (of, names) => {
    let outcomes: Record<string, string> = {};

    beforeAll(async () => {
      const page = await open("/kits");
      outcomes = await page.evaluate((kit) => (globalThis as unknown as KitHooks).runKit(kit), of);
      await page.context().close();
    });

    test("has these checks and no others", () => {
      expect(Object.keys(outcomes)).toEqual(names);
    });

    test.each(names)("%s", (name) => {
      expect(outcomes[name]).toBe("passed");
    });
  });

  /** The hooks of a page. */
  function hooksOf(page: Page): HostHooks {
    return new Proxy({} as HostHooks, {
      get:
        (_, hook) =>
        (...args: unknown[]) =>
          page.evaluate(
            ([name, given]) =>
              (globalThis as unknown as Record<string, (...args: unknown[]) => unknown>)[name]?.(...given),
            [String(hook), args] as const,
          ),
    });
  }

  describe("pages with frames, popups and workers", () => {
    let host: HostHooks;

    beforeEach(async () => {
      const page = await open("/host");
      host = hooksOf(page);
      onTestFinished(() => page.context().close());
    });

    const frame = (origin = site.origin): string =>
      `${site.otherOrigin}/frame?serve=${encodeURIComponent(origin)}`;

    test("a frame of another origin answers, if both name the origin of the other", async () => {
      const n = await host.frame(frame(), site.otherOrigin);
      expect(await host.call(n, "echo", { a: 1 })).toEqual({ a: 1 });
      expect(await host.heard(n, 1)).toMatchObject([{ method: "ready" }]);
    });

    test("a message of another origin is dropped and reported", async () => {
      const n = await host.frame(`${site.otherOrigin}/frame?say=hello`, site.origin);
      expect(await host.warned(n, 1)).toEqual([
        `Dropped a message from origin "${site.otherOrigin}"; expected "${site.origin}". 1 dropped so far.`,
      ]);
      expect(await host.heard(n, 0)).toEqual([]);
    });

    test("a message of another frame is dropped and reported, even if it has the right origin", async () => {
      const n = await host.frame(frame(), site.otherOrigin);
      await host.bystander(`${site.otherOrigin}/frame?say=hello`);
      expect(await host.warned(n, 1)).toEqual([
        `Dropped a message from another window (origin "${site.otherOrigin}"). 1 dropped so far.`,
      ]);
      expect(await host.call(n, "echo", { a: 1 })).toEqual({ a: 1 });
      expect(await host.heard(n, 1)).toMatchObject([{ method: "ready" }]);
    });

    test.each(["null", "*"])(
      "a sandboxed frame, whose origin is null, answers if %s is asked for",
      async (origin) => {
        const n = await host.frame(frame("*"), origin, "allow-scripts");
        expect(await host.call(n, "echo", { a: 1 })).toEqual({ a: 1 });
      },
    );

    test("a sandboxed frame is not heard by who expects the origin of its URL", async () => {
      const n = await host.frame(frame("*"), site.otherOrigin, "allow-scripts");
      const [warning] = await host.warned(n, 1);
      expect(warning).toBe(
        `Dropped a message from origin "null"; expected "${site.otherOrigin}". 1 dropped so far.`,
      );
    });

    test("the origin of the first message is the only one from then on, if any was accepted", async () => {
      const n = await host.frame(`${site.otherOrigin}/frame?say=first`, "*");
      expect(await host.heard(n, 1)).toEqual([{ method: "said", params: { said: "first" } }]);
      await host.load(n, `${site.origin}/frame?say=second`);
      expect(await host.warned(n, 1)).toEqual([
        `Dropped a message from origin "${site.origin}"; expected "${site.otherOrigin}". 1 dropped so far.`,
      ]);
      expect(await host.heard(n, 1)).toHaveLength(1);
    });

    test("a frame that does not use this package gets JSON-RPC objects", async () => {
      const n = await host.frame(`${site.otherOrigin}/frame?say=hello`, site.otherOrigin);
      await host.heard(n, 1);
      expect(await host.call(n, "m", { a: 1 })).toMatchObject({
        got: { jsonrpc: "2.0", method: "m", params: { a: 1 } },
      });
    });

    test("a frame that closes, is removed or loads another document ends the connection", async () => {
      const [closing, removed, replaced] = [
        await host.frame(frame(), site.otherOrigin),
        await host.frame(frame(), site.otherOrigin),
        await host.frame(frame(), site.otherOrigin),
      ];
      for (const n of [closing, removed, replaced]) {
        await host.heard(n, 1);
      }
      const calls = [closing, removed, replaced].map((n) => host.call(n, "never", {}));
      await host.call(closing, "leave", {});
      await host.remove(removed);
      await host.load(replaced, `${site.origin}/frame`);
      expect(await Promise.all(calls)).toEqual([
        "CONNECTION_CLOSED",
        "CONNECTION_CLOSED",
        "CONNECTION_CLOSED",
      ]);
      expect(await host.ended(closing)).toBe("");
      expect(await host.ended(replaced)).toBe("");
    });

    test("after a frame was loaded again the transport connects again", async () => {
      const n = await host.frame(frame(), site.otherOrigin);
      expect(await host.call(n, "echo", {})).toEqual({});
      await host.load(n, frame());
      expect(await host.ended(n)).toBe("");
      const again = await host.again(n);
      expect(await host.call(again, "echo", { a: 2 })).toEqual({ a: 2 });
    });

    test("a popup answers, and its end is seen", async () => {
      const n = await host.popup(
        `${site.origin}/frame?serve=${encodeURIComponent(site.origin)}`,
        site.origin,
      );
      await host.heard(n, 1);
      expect(await host.call(n, "echo", { a: 1 })).toEqual({ a: 1 });
      await host.remove(n);
      expect(await host.ended(n)).toBe("");
      expect(await host.call(n, "echo", {})).toBe("CONNECTION_CLOSED");
    });

    test("the page and the frame of the README talk", async () => {
      const page = await openPage(browser, `${site.origin}/readme?origin=${site.otherOrigin}`);
      await page.waitForFunction(
        () => (globalThis as unknown as { document: { title: string } }).document.title === "closed",
      );
      expect(await page.evaluate(() => (globalThis as unknown as { answer: unknown }).answer)).toEqual({
        a: 1,
      });
      await page.context().close();
    });

    test("a worker answers over a port, and its end is seen when it closes", async () => {
      const n = await host.worker("/worker.js");
      expect(await host.call(n, "echo", { a: 1 })).toEqual({ a: 1 });
      const call = host.call(n, "never", {});
      await host.call(n, "leave", {});
      expect(await call).toBe("CONNECTION_CLOSED");
      expect(await host.ended(n)).toBe("");
    });

    test.each(["client", "server"])(
      "two pages talk over a channel, and the other sees that the %s was closed",
      async (role) => {
        const page = await open("/host");
        const other = await page.context().newPage();
        onTestFinished(() => page.context().close());
        await other.goto(`${site.origin}/host`);
        const [near, far] = [hooksOf(page), hooksOf(other)];
        const [server, client] = role === "client" ? [near, far] : [far, near];
        const accepted = server.listen("talk");
        const n = await client.dial("talk");
        const m = await accepted;
        expect(await client.call(n, "echo", { a: 1 })).toEqual({ a: 1 });
        expect(await server.call(m, "echo", { a: 2 })).toEqual({ a: 2 });
        await other.close();
        expect(await near.ended(role === "client" ? m : n)).toContain("no longer exists");
      },
    );
  });
});
