import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import {
  bundleForBrowser,
  chromiumPath,
  openPage,
  serveSite,
  startChromium,
  type Browser,
  type Page,
  type Site,
  openContext,
} from "@tenon/test-support/chromium";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import type { ProbeProps } from "./probe.ts";
import { openDesk, openProtected, type Desk } from "./setup.ts";

const html = (script: string): string =>
  `<!doctype html><body><script type="module" src="${script}"></script>`;

/** As bundlers that do not know the sources choose it. */
const platform = fileURLToPath(new URL("../../http/src/client/platform/web.ts", import.meta.url));

/** The page with a version of React: its name in the packages ends with this. */
function bundle(suffix: string, file = "main.tsx"): Promise<string> {
  const { resolve } = createRequire(import.meta.url);
  const folders = ["react", "react-dom"].map((name) => [
    name,
    dirname(resolve(`${name}${suffix}/package.json`)),
  ]);
  return bundleForBrowser(new URL(`browser/${file}`, import.meta.url), {
    ...Object.fromEntries(folders),
    "#platform": platform,
  });
}

describe.skipIf(chromiumPath === undefined)("in Chromium (skipped without Chromium)", () => {
  let site: Site;
  let files: Record<string, string>;
  let browser: Browser;
  let page: Page;
  let page18: Page;
  let desk: Desk;
  const errors: unknown[] = [];

  beforeAll(async () => {
    files = {
      "/": html("/main.js"),
      "/18": html("/main-18.js"),
      "/main.js": await bundle(""),
      "/main-18.js": await bundle("-18"),
      "/callback.js": await bundle("", "callback.ts"),
      "/callback": html("/callback.js"),
      "/authorize": `<script>
        const search = new URLSearchParams(location.search);
        const callback = new URL(search.get("back"), "http://127.0.0.1:" + location.port);
        const state = search.get("state");
        callback.searchParams.set("state", state);
        callback.searchParams.set(...(localStorage.refuses ? ["error", "access_denied"] : ["code", "c" + state]));
        if (!localStorage.waits) {
          location.replace(callback);
        }
      </script>`,
    };
    site = await serveSite(files);
    browser = await startChromium();
    page = await open("/");
    page18 = await open("/18");
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });
  beforeEach(async () => {
    desk = await openDesk(site.origin);
    return async () => {
      await show(page, null);
      await show(page18, null);
      await page.evaluate("probe.clear()");
      await page18.evaluate("probe.clear()");
      await desk[Symbol.asyncDispose]();
      expect(errors.splice(0)).toEqual([]);
    };
  });

  async function open(path: string): Promise<Page> {
    const opened = await openPage(browser, site.origin + path, (error) => errors.push(error));
    await opened.waitForFunction("globalThis.probe");
    return opened;
  }

  const show = (to: Page, props: ProbeProps | null): Promise<unknown> =>
    to.evaluate(`probe.show(${JSON.stringify(props)})`);
  /** A property of what the hooks have returned in the last render. */
  const last = (property: string, of = page): Promise<unknown> => of.evaluate(`probe.last().${property}`);
  /** Waits until a condition about it is met. */
  const until = (condition: string, of = page): Promise<unknown> =>
    of.waitForFunction(`probe.last()?.${condition}`);

  describe.each(bothEras)("with a server of %s", (revision) => {
    test.each(["19", "18"])(
      "React %s connects once in StrictMode, and unmounts without a trace",
      async (version) => {
        const on = version === "18" ? page18 : page;
        await show(on, { url: desk.url, revision, uri: "notes://1" });
        await until("tools.status === 'ready' && probe.last().resource.status === 'ready'", on);
        await on.evaluate("void probe.last().call.call()");
        await until("call.progress?.progress === 1", on);
        expect(desk.requests.filter((one) => /initialize|discover/.test(one))).toHaveLength(1);
        await show(on, null);
        await expect.poll(() => desk.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
        await expect.poll(() => desk.open.size).toBe(0);
        const isLegacy = revision === legacyRevision;
        await expect
          .poll(() => desk.requests.filter((one) => one === "DELETE"))
          .toHaveLength(isLegacy ? 1 : 0);
      },
    );

    test("lists are read, and read again when they have changed", async () => {
      await show(page, { url: desk.url, revision });
      await until("templates.status === 'ready' && probe.last().prompts.status === 'ready'");
      await until("tools.status === 'ready' && probe.last().resources.status === 'ready'");
      expect(await last("tools.value.map(({ name }) => name)")).toEqual(["ask", "order", "work"]);
      expect(await last("prompts.value.map(({ name }) => name)")).toEqual(["review"]);
      expect(await last("resources.value.map(({ uri }) => uri)")).toEqual(["notes://1"]);
      expect(await last("templates.value.map(({ uriTemplate }) => uriTemplate)")).toEqual([
        "notes://by/{who}",
      ]);
      expect(await page.evaluate("probe.count(({ tools }) => tools.status === 'waiting')")).toBeGreaterThan(
        0,
      );
      desk.server.addTool({ name: "late" }, () => "");
      await until("tools.value?.some(({ name }) => name === 'late')");
      desk.server.addResource({ uri: "notes://2", name: "two" }, () => "");
      await until("resources.value?.length === 2");
      desk.server.addPrompt({ name: "late" }, () => "");
      await until("prompts.value?.length === 2");
      await page.evaluate("probe.last().tools.reload()");
      await until("tools.status === 'ready'");
    });

    test("a call shows its progress and its result, and can be cancelled or replaced", async () => {
      await show(page, { url: desk.url, revision });
      await until("server.status === 'ready'");
      await page.evaluate("void (globalThis.first = probe.last().call.call())");
      await until("call.progress");
      expect(await last("call.status")).toBe("running");
      expect(await last("call.progress")).toMatchObject({ progress: 1, total: 2, message: "half" });
      await page.evaluate("void probe.last().call.call()");
      expect(await page.evaluate("first")).toBeUndefined();
      await expect.poll(() => desk.calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
      desk.calls[1]?.gate.resolve();
      await until("call.status === 'done'");
      expect(await last("call.result.content[0].text")).toBe("done 2");
      expect(await last("call.progress")).toBeUndefined();
      await page.evaluate("void probe.last().call.call()");
      await until("call.progress");
      await page.evaluate("probe.last().call.cancel()");
      await until("call.status === 'idle'");
      await expect.poll(() => desk.calls[2]?.signal.aborted).toBe(true);
      expect(await last("call.result.content[0].text")).toBe("done 2");
    });

    test("a resource is read again after each update, for as long as it is shown", async () => {
      await show(page, { url: desk.url, revision, uri: "notes://1" });
      // Once at once, and once when updates arrive.
      await until("resource.value?.contents[0].text === 'edition 2'");
      desk.server.resourceUpdated("notes://1");
      await until("resource.value?.contents[0].text === 'edition 3'");
      await show(page, { url: desk.url, revision, uri: "notes://by/ada", watch: false });
      await until("resource.value?.contents[0].text === 'ada'");
      expect(await page.evaluate("probe.count(({ resource }) => resource.error !== undefined)")).toBe(0);
      await show(page, { url: desk.url, revision, uri: "notes://none", watch: false });
      await until("resource.status === 'failed'");
      expect(await last("resource.error.message")).toMatch("notes://none");
      expect(await last("resource.value")).toBeUndefined();
      await show(page, { url: desk.url, revision });
      await until("resource.status === 'waiting'");
    });

    test("a prompt is filled in again when its arguments change", async () => {
      await show(page, { url: desk.url, revision, prompt: "review", topic: "tea" });
      await until("prompt.value?.messages[0].content.text === 'tea'");
      await show(page, { url: desk.url, revision, prompt: "review", topic: "milk" });
      await until("prompt.value?.messages[0].content.text === 'milk'");
      const asked = desk.requests.filter((one) => one === "POST prompts/get").length;
      await show(page, { url: desk.url, revision, prompt: "review", topic: "milk", watch: false });
      expect(desk.requests.filter((one) => one === "POST prompts/get")).toHaveLength(asked);
    });

    test("the page answers forms and visits, and those of a cancelled call disappear", async () => {
      await show(page, { url: desk.url, revision });
      await until("server.status === 'ready'");
      const ask = (args: object): Promise<unknown> =>
        page.evaluate(`void probe.last().other.call(${JSON.stringify(args)})`);
      const result = async (): Promise<unknown> => {
        await until("other.status === 'done'");
        expect(await last("server.inputs.length")).toBe(0);
        return last("other.result.content[0].text");
      };
      await ask({});
      await until("server.inputs.length === 1");
      expect(await last("server.inputs[0].params.message")).toBe("For whom?");
      await page.evaluate("probe.last().server.inputs[0].accept({ name: 'Ada' })");
      expect(await result()).toBe("Tea for Ada.");
      await ask({});
      await until("server.inputs.length === 1");
      await page.evaluate("probe.last().server.inputs[0].decline()");
      expect(await result()).toBe("decline");
      await ask({ url: "https://login.example/start" });
      await until("server.inputs[0]?.kind === 'url'");
      await page.evaluate("probe.last().server.inputs[0].accept()");
      expect(await result()).toBe("accept");
      await ask({});
      await until("server.inputs.length === 1");
      await page.evaluate("probe.last().other.cancel()");
      await until("server.inputs.length === 0");
    });

    test("a visit of a URL that would run a script is refused", async () => {
      await show(page, { url: desk.url, revision });
      await until("server.status === 'ready'");
      await page.evaluate("void probe.last().other.call({ url: 'javascript:alert(1)' })");
      await until("other.status === 'failed' || probe.last().other.result?.isError");
      expect(await page.evaluate("probe.count(({ server }) => server.inputs.length > 0)")).toBe(0);
    });
  });

  test("there is a connection while there is a URL, and another one for another URL", async () => {
    await show(page, { revision: modernRevision });
    await until("server.status === 'idle'");
    expect(await last("tools.status")).toBe("waiting");
    await page.evaluate("void probe.last().call.call()");
    await until("call.status === 'failed'");
    expect(await last("call.error.message")).toBe("Cannot call work: the server is not connected.");
    await show(page, { url: desk.url, revision: legacyRevision });
    await until("tools.status === 'ready'");
    await using other = await openDesk(site.origin);
    await page.evaluate("probe.clear()");
    await show(page, { url: other.url, revision: legacyRevision });
    await expect.poll(() => desk.requests.at(-1)).toBe("DELETE");
    await until("tools.status === 'ready'");
    expect(other.requests).toContain("POST initialize");
    expect(
      await page.evaluate("probe.count(({ tools: { status, value } }) => status !== 'ready' && value)"),
    ).toBe(0);
  });

  test("a connection that fails or ends says why, and is opened again by the current options", async () => {
    const props = { url: desk.url, revision: modernRevision, name: "second" };
    const refusing = await openDesk("https://other.example");
    await show(page, { ...props, url: refusing.url, name: "first" });
    await until("server.status === 'failed'");
    expect(await last("server.error.message")).toMatch(refusing.url);
    await refusing[Symbol.asyncDispose]();
    await show(page, { ...props, name: "first" });
    await until("server.status === 'ready'");
    await until("tools.status === 'ready'");
    const work = async (): Promise<void> => {
      await page.evaluate("void (globalThis.work = probe.last().call.call())");
      await until("call.progress");
    };
    await work();
    desk.calls[0]?.gate.resolve();
    await until("call.status === 'done'");
    await work();
    await page.evaluate("void probe.last().server.session.close()");
    await until("server.status === 'closed'");
    await until("tools.status === 'waiting'");
    expect(await page.evaluate("work")).toBeUndefined();
    expect(await last("call.status")).toBe("failed");
    expect(await last("call.error.code")).toBe("CONNECTION_CLOSED");
    expect(await last("call.result.content[0].text")).toBe("done 1");
    expect(await last("tools.value.length")).toBe(3);
    await show(page, props);
    await page.evaluate("probe.last().server.reconnect()");
    await until("server.status === 'ready'");
    expect(await last("server.session.client.info.name")).toBe("second");
    await until("tools.status === 'ready'");
    await work();
    await page.evaluate("{ const { server } = probe.last(); probe.clear(); server.reconnect(); }");
    await until("tools.status === 'ready'");
    expect(await page.evaluate("work")).toBeUndefined();
    expect(await last("call.status")).toBe("failed");
    expect(await page.evaluate("probe.count(({ tools }) => tools.value === undefined)")).toBe(0);
    expect(
      await page.evaluate("probe.count(({ server }) => server.status === 'connecting')"),
    ).toBeGreaterThan(0);
  });

  test("the page of the README orders tea for the user", async () => {
    const shop = await open(`/?shop=${encodeURIComponent(desk.url)}`);
    await shop.getByText("The server is ready.").waitFor();
    await shop.getByText("order", { exact: true }).waitFor();
    await shop.getByRole("button", { name: "Order tea" }).click();
    await shop.getByText("For whom?").waitFor();
    await shop.getByLabel("name").fill("Ada");
    await shop.getByRole("button", { name: "Send" }).click();
    await shop.getByText("Tea for Ada.").waitFor();
    await shop.close();
  });

  test("a page that a server has rendered is hydrated, and its path is one of its own origin", async () => {
    const rendered = '<main><p title="kept">The shop is connecting.</p></main>';
    files["/rendered/page"] = html("/main.js").replace("<script", `${rendered}<script`);
    const context = await openContext(browser);
    const opened = await context.newPage();
    opened.on("pageerror", (error) => errors.push(error));
    await opened.route(`${site.origin}/mcp`, (route) => route.continue({ url: desk.url }));
    await opened.goto(`${site.origin}/rendered/page`);
    await opened.getByText("ask, order, work").waitFor();
    // An element that differs would have been replaced.
    expect(await opened.locator("p").getAttribute("title")).toBe("kept");
    expect(desk.requests.filter((one) => /initialize|discover/.test(one))).toHaveLength(1);
    await context.close();
  });

  test("a click logs the user in by a popup, which closes itself", async () => {
    const login = await open(`/?login=${site.otherOrigin}`);
    const output = (text: string): Promise<void> => login.getByText(text, { exact: true }).waitFor();
    const click = (name: string): Promise<void> => login.getByRole("button", { name }).click();
    const pages = (): number => login.context().pages().length;
    await output("idle, 0 done");
    await click("Log in");
    await output("idle, 1 done");
    expect(await login.evaluate("probe.finished")).toEqual(["c1 1"]);
    await expect.poll(pages).toBe(1);

    const other = await login.context().newPage();
    await other.goto(`${site.otherOrigin}/callback`);
    await other.evaluate("localStorage.refuses = true");
    await click("Log in");
    await output("failed, 1 done: Login failed: access_denied.");
    await expect.poll(pages).toBe(2);
    await other.evaluate("localStorage.waits = true");
    await click("Log in");
    await output("waiting, 1 done");
    await expect.poll(pages).toBe(3);
    // The response to another login is not for this one.
    await other.goto(`${site.origin}/callback?code=c9&state=9`);
    await click("Cancel");
    await output("idle, 1 done");
    // The response arrives after the cancellation, and after the component is unmounted.
    await other.goto(`${site.origin}/callback?code=c3&state=3`);
    await click("Log in");
    await output("waiting, 1 done");
    await show(login, null);
    await other.goto(`${site.origin}/callback?code=c4&state=4`);
    expect(await login.evaluate("probe.finished")).toEqual(["c1 1", "null 2"]);
    await login.context().close();
  });

  test("a page that visits the authorization server itself finishes the login when it is back", async () => {
    const back = `/?login=${site.otherOrigin}&back=${encodeURIComponent("/?back=x&login=y#top")}`;
    const own = new URL("/?back=x&login=y#top", site.origin).href;
    const login = await open(back);
    const output = (text: string): Promise<void> => login.getByText(text, { exact: true }).waitFor();
    const click = (name: string): Promise<void> => login.getByRole("button", { name }).click();
    await output("idle, 0 done");
    await click("Log in");
    await output("idle, 1 done");
    expect(login.url()).toBe(own);
    expect(await login.evaluate("probe.finished")).toEqual(["c1 1"]);
    await login.reload();
    await output("idle, 0 done");

    await login.goto(`${site.otherOrigin}/callback`);
    await login.evaluate("localStorage.refuses = true");
    await login.goto(site.origin + back);
    await click("Log in");
    await output("failed, 0 done: Login failed: access_denied.");
    expect(login.url()).toBe(own);
    // Somebody else has begun this login.
    await login.goto(`${site.origin}/?back=x&login=y&code=c1&state=1`);
    await output("idle, 0 done");
    expect(await login.evaluate("probe.finished")).toEqual([]);
    await login.context().close();
  });

  test("the login of the README opens a connection with a token", async () => {
    await using account = await openProtected(site.origin);
    files["/account"] = html("/main.js").replace("<body", `<body data-endpoint="${account.url}"`);
    const login = await open("/account");
    await login.getByText("Call login() to ask the user").waitFor();
    await login.getByRole("button", { name: "Log in" }).click();
    await login.getByText("balance").waitFor();
    await login.context().close();
  });

  test("the login of the README without a popup is known to the page after it was loaded again", async () => {
    await using account = await openProtected(site.origin);
    files["/redirect"] = html("/main.js").replace("<body", `<body data-endpoint="${account.url}"`);
    const login = await open("/redirect");
    await login.getByRole("button", { name: "Log in" }).click();
    await login.getByText("balance").waitFor();
    expect(login.url()).toBe(`${site.origin}/redirect`);
    await login.reload();
    await login.getByText("balance").waitFor();
    await login.context().close();
  });

  test("a login that cannot begin, or whose callback fails, says so and leaves nothing behind", async () => {
    const login = await open(`/?login=${site.otherOrigin}`);
    const output = (text: string): Promise<void> => login.getByText(text, { exact: true }).waitFor();
    const click = (): Promise<void> => login.getByRole("button", { name: "Log in" }).click();
    const pages = (): Page[] => login.context().pages();
    await login.evaluate("localStorage.href = 'javascript:localStorage.ran=1'");
    await click();
    await output("failed, 0 done: Expected an http or https URL of the authorization server.");
    await login.evaluate("localStorage.href = 'https://'");
    await click();
    // The error is one of the popup.
    await output("failed, 0 done");
    await expect.poll(() => pages().length).toBe(1);
    expect(await login.evaluate("localStorage.ran")).toBeUndefined();
    // A message comes after those that were sent before.
    const heard = await login.evaluate(`new Promise((resolve) => {
      const [one, other] = [1, 2].map(() => new BroadcastChannel("tenon-login"));
      const heard = [];
      one.onmessage = ({ data }) => (data === null ? one.postMessage("end") : heard.push(data.kind));
      other.onmessage = ({ data }) => data === "end" && resolve(heard);
      other.postMessage({ kind: "redirected", href: location.origin + "/callback?state=2" });
      other.postMessage(null);
    })`);
    expect(heard).toEqual(["redirected"]);

    await login.evaluate(`{
      localStorage.clear();
      localStorage.holds = true;
      const open = window.open.bind(window);
      window.open = (...args) => (window.opened = open(...args));
    }`);
    await click();
    await expect.poll(() => pages().length).toBe(2);
    await login.evaluate("new BroadcastChannel('tenon-login').postMessage(null)");
    await pages()[1]?.close();
    // The page learns of it later.
    await login.waitForFunction("opened.closed");
    await login.evaluate("dispatchEvent(new Event('resume'))");
    await output("failed, 0 done: The popup was closed before the login page was shown.");

    await login.evaluate("{ localStorage.clear(); localStorage.throws = true; }");
    await click();
    await output("idle, 1 done");
    await expect.poll(() => errors.splice(0).map(String)).toEqual(["Error: The page is broken."]);
    await login.context().close();
  });

  test("a popup that the browser blocks fails with the way to open it", async () => {
    const login = await open(`/?login=${site.otherOrigin}`);
    await login.evaluate("window.open = () => null");
    await login.getByRole("button", { name: "Log in" }).click();
    await login
      .getByText("The popup was blocked by the browser. Call start() in the handler of a click.")
      .waitFor();
    await login.context().close();
  });
});
