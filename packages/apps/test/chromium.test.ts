import { sandboxProxy } from "@tenon/apps/host";
import {
  bundleForBrowser,
  chromiumPath,
  openPage,
  serveSite,
  startChromium,
  type Browser,
  type Page,
  type Site,
  type SiteFile,
} from "@tenon/test-support/chromium";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

/** Both sites of a host, and others that views try to reach. */
interface World {
  readonly host: Site;
  readonly proxy: Site;
  readonly foreign: Site;
  /** The paths of the foreign site that were requested. */
  readonly reached: string[];
}

const files: Record<string, SiteFile> = {};
let browser: Browser;

async function openWorld(): Promise<World> {
  const host = await serveSite(files);
  const { html, headers } = sandboxProxy({ hostOrigin: host.origin });
  const proxy = await serveSite({ "/": { body: html, headers } });
  const reached: string[] = [];
  const open = { "access-control-allow-origin": "*" };
  const file = (path: string, body: string, type: string): PropertyDescriptor => ({
    enumerable: true,
    get: () => {
      reached.push(path);
      return { body, headers: { ...open, "content-type": type } };
    },
  });
  const foreign = await serveSite(
    Object.defineProperties(
      {},
      {
        "/data": file("/data", "data", "text/plain"),
        "/script.js": file("/script.js", "globalThis.ran = true;", "text/javascript"),
        "/image": file("/image", '<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        "/page": file("/page", "<!doctype html><title>Foreign</title>", "text/html"),
      },
    ) as Record<string, SiteFile>,
  );
  onTestFinished(async () => {
    await Promise.all([host.close(), proxy.close(), foreign.close()]);
  });
  return { host, proxy, foreign, reached };
}

async function show({ host, proxy }: World, more: Readonly<Record<string, string>> = {}): Promise<Page> {
  const query = new URLSearchParams({ proxy: `${proxy.otherOrigin}/`, ...more });
  const page = await openPage(browser, `${host.origin}/?${query.toString()}`);
  onTestFinished(() => page.context().close());
  await page.waitForFunction("globalThis.bridge !== undefined");
  return page;
}

const attempt = (page: Page, kind: string, url = ""): Promise<string> =>
  page.evaluate(
    `bridge.ready
      .then(() => bridge.callTool({ name: "attempt", arguments: ${JSON.stringify({ kind, url })} }))
      .then(({ content }) => content[0].text)`,
  );

describe.skipIf(chromiumPath === undefined)("in Chromium (skipped without Chromium)", () => {
  beforeAll(async () => {
    browser = await startChromium();
    const view = await bundleForBrowser(new URL("browser/view.ts", import.meta.url));
    files["/"] = `<!doctype html><title>Host</title><body><script type="module" src="/main.js"></script>`;
    files["/main.js"] = await bundleForBrowser(new URL("browser/host.ts", import.meta.url));
    files["/view.html"] =
      `<!doctype html><title>View</title><body>view<script type="module">${view.replaceAll("</script", "<\\/script")}</script>`;
  });

  afterAll(async () => {
    await browser.close();
  });

  test("a view gets the result of its tool, and calls a tool of its server (E-116, E-118, E-120)", async () => {
    const page = await show(await openWorld());
    await page.waitForFunction("globalThis.logged?.length === 4");
    expect(await page.evaluate("logged")).toEqual([
      { input: "Berlin" },
      { result: [{ type: "text", text: "Sunny" }] },
      { refreshed: [{ type: "text", text: "Rain" }], theme: "dark" },
      { hidden: 'RpcError: Invalid params: unknown tool "delete".' },
    ]);
    await page.evaluate("bridge.close()");
    expect(await page.evaluate("logged.at(-1)")).toEqual({ end: true });
  });

  test("a view that is loaded again starts again", async () => {
    const page = await show(await openWorld());
    await page.waitForFunction("globalThis.logged?.length === 4");
    await attempt(page, "reload");
    await page.waitForFunction("globalThis.logged?.length === 8");
    const logged = await page.evaluate<unknown[]>("logged");
    expect(logged.slice(4)).toEqual(logged.slice(0, 4));
  });

  test("the frame of a view follows the size of its document (E-126, E-139)", async () => {
    const page = await show(await openWorld());
    expect(await attempt(page, "grow")).toBe("done: undefined");
    // The body has a margin of 8 pixels on each side.
    await page.waitForFunction("document.querySelector('iframe').style.height === '793px'");
  });

  test("a view reaches the origins that its server declares (E-119)", async () => {
    const world = await openWorld();
    const { origin } = world.foreign;
    const page = await show(world, { declared: origin, framed: origin });
    expect(await attempt(page, "fetch", `${origin}/data`)).toBe("done: data");
    expect(await attempt(page, "script", `${origin}/script.js`)).toBe("done: loaded");
    expect(await attempt(page, "image", `${origin}/image`)).toBe("done: loaded");
    expect(await attempt(page, "frame", `${origin}/page`)).toBe("done: loaded");
    expect(world.reached).toEqual(["/data", "/script.js", "/image", "/page"]);
  });

  test("a view reaches no other origin: not by requests, elements, frames or navigation (E-119, E-146)", async () => {
    const world = await openWorld();
    const { origin } = world.foreign;
    const page = await show(world, { declared: "https://other.example", framed: "https://other.example" });
    expect(await attempt(page, "fetch", `${origin}/data`)).toBe("failed: TypeError");
    for (const [kind, path] of [
      ["script", "/script.js"],
      ["image", "/image"],
      ["frame", "/page"],
    ] as const) {
      expect([kind, await attempt(page, kind, origin + path)]).toEqual([kind, "failed: Error"]);
    }
    expect(await attempt(page, "eval")).toBe("failed: EvalError");
    await attempt(page, "navigate", `${origin}/page`);
    await expect
      .poll(() => page.frames().map((frame) => frame.url()))
      .toContain("chrome-error://chromewebdata/");
    expect(world.reached).toEqual([]);
  });

  test("a view is on its own: no host, no storage, no windows, and no ungranted permissions (E-119, E-145)", async () => {
    const world = await openWorld();
    const page = await show(world);
    expect(await attempt(page, "origin")).toBe("done: null");
    for (const kind of ["parent", "storage", "cookie"]) {
      expect([kind, await attempt(page, kind)]).toEqual([kind, "failed: SecurityError"]);
    }
    expect(await attempt(page, "top", `${world.foreign.origin}/page`)).toBe("failed: SecurityError");
    expect(await attempt(page, "open", `${world.foreign.origin}/page`)).toBe("failed: Error");
    expect(await attempt(page, "camera")).toBe("done: true");
    expect(await attempt(page, "microphone")).toBe("done: false");
    expect(page.url()).toContain(world.host.origin);
    expect(world.reached).toEqual([]);
  });

  test("a view cannot speak as the sandbox proxy (E-120, E-121)", async () => {
    const page = await show(await openWorld());
    expect(await attempt(page, "spoof")).toBe("done: undefined");
    // Messages keep their order, so the spoofed one would have arrived.
    expect(await attempt(page, "origin")).toBe("done: null");
    const methods = await page.evaluate<string[]>("methods");
    expect(methods.filter((method) => method.includes("/sandbox-"))).toEqual([
      "ui/notifications/sandbox-proxy-ready",
    ]);
  });

  test("the sandbox proxy of one host serves no other, and does not run on the host's own origin (E-116)", async () => {
    const world = await openWorld();
    const query = new URLSearchParams({ proxy: `${world.proxy.otherOrigin}/` });
    const stranger = await openPage(browser, `${world.host.otherOrigin}/?${query.toString()}`);
    await expect
      .poll(() => stranger.frames().map((frame) => frame.url()))
      .toContain("chrome-error://chromewebdata/");
    await stranger.context().close();
    files["/proxy"] = sandboxProxy({ hostOrigin: world.host.origin }).html;
    const errors: string[] = [];
    const own = await openPage(
      browser,
      `${world.host.origin}/?proxy=${world.host.origin}/proxy`,
      ({ message }) => errors.push(message),
    );
    await expect.poll(() => errors).toEqual([expect.stringContaining("from another origin than")]);
    await own.context().close();
  });
});
