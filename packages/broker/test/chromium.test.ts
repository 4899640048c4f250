import {
  chromiumPath,
  serveSite,
  startChromium,
  type Browser,
  type Page,
  openContext,
} from "@tenon/test-support/chromium";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { development, oauth2 } from "../src/index.ts";
import { downstream, register, tryToken } from "./downstream.ts";
import { startProtected, type Protected } from "./support.ts";

/** A provider that is never reached. */
const other = oauth2({
  id: "other",
  name: "Other",
  clientId: "c",
  authorizationEndpoint: "https://other.example/authorize",
  tokenEndpoint: "https://other.example/token",
  profile: { subject: "id" },
});

/** In the dark, only colours differ. */
const only = { light: "", dark: `runOnly: ["color-contrast"]` } as const;
/** Pages without their numbers: each is examined once. */
const examined = new Set<string>();
let browser: Browser;

/** A page without a mouse: all keys go to what has the focus, and every page is examined. */
async function openKeyboard(): Promise<AsyncDisposable & { readonly page: Page; readonly keys: Keyboard }> {
  const context = await openContext(browser, { viewport: { width: 320, height: 640 } });
  // The time limit of the test ends what hangs.
  const page = await context.newPage();
  return { page, keys: keyboardOf(page), [Symbol.asyncDispose]: () => context.close() };
}

interface Keyboard {
  /** Waits for a page with a title, and examines it. Returns its accessibility tree. */
  arrive(title: string): Promise<string>;
  /** Presses Tab until an element with a name has the focus. Returns the names on the way. */
  tabTo(name: string): Promise<readonly string[]>;
  /** Presses Enter on the element with a name. */
  enter(name: string): Promise<void>;
}

/** The name of the element that has the focus, as assistive technology reads it. */
const focused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return "";
  const label = element.labels?.[0]?.textContent ?? element.getAttribute("aria-label") ?? element.textContent;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return label.trim() + (outlineStyle === "none" || outlineWidth === "0px" ? " (invisible focus)" : "");
})()`;

function keyboardOf(page: Page): Keyboard {
  async function tabTo(name: string): Promise<readonly string[]> {
    const names: string[] = [];
    for (let count = 0; count < 12; count++) {
      await page.keyboard.press("Tab");
      const now = await page.evaluate<string>(focused);
      if (now === name) {
        return names;
      }
      names.push(now);
    }
    throw new Error(`Tab does not reach ${name}, but ${names.join(", ")}`);
  }

  return {
    tabTo,
    async arrive(title) {
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      // A screen reader says the title of a page first.
      expect(await page.title()).toBe(title);
      const tree = await page.locator("body").ariaSnapshot();
      const kind = tree.replace(/\d+/g, "");
      if (examined.has(kind)) {
        return tree;
      }
      examined.add(kind);
      await page.evaluate(axe.source);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await page.evaluate<readonly { id: string; nodes: { html: string }[] }[]>(
          `axe.run(document, { resultTypes: ["violations"], ${only[colorScheme]} }).then(({ violations }) => violations)`,
        );
        expect(found.map(({ id, nodes }) => [title, colorScheme, id, nodes[0]?.html])).toEqual([]);
      }
      // Nobody has to scroll sideways, however narrow the page is.
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      return tree;
    },
    async enter(name) {
      await tabTo(name);
      const left = page.waitForEvent("framenavigated");
      await page.keyboard.press("Enter");
      await left;
      await page.waitForLoadState();
    },
  };
}

/** Where a client waits for the user: a page on loopback, on another port than the broker. */
async function startCallback(): ReturnType<typeof serveSite> {
  return serveSite({ "/callback": "<!doctype html><title>Back</title><h1>Back at the program</h1>" });
}

async function clientOf(server: Protected, origin: string): ReturnType<typeof downstream> {
  return downstream(server.origin, { redirectUri: `${origin}/callback`, name: "Notes for the blind" });
}

describe.skipIf(chromiumPath === undefined)("in Chromium (skipped without Chromium)", () => {
  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  test("a person with a keyboard alone chooses a provider, allows a client, sees it at the account page, ends its access and logs out", async () => {
    await using server = await startProtected({ upstream: [development(), other] });
    await using callback = await startCallback();
    await using opened = await openKeyboard();
    const { page, keys } = opened;
    const client = await clientOf(server, callback.origin);
    await page.goto(client.authorizationUrl());
    const first = await keys.arrive("Log in to Notes");
    expect(first).toContain("A program that calls itself");
    expect(first).toContain(new URL(callback.origin).host);
    expect(await keys.tabTo("Cancel")).toEqual([
      "Continue with the development login",
      "Continue with Other",
    ]);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await keys.arrive("Choose a user");
    await keys.enter("Alice Example");
    const consent = await keys.arrive("Allow access to Notes?");
    // What is read comes in the order in which it is decided: who, where, what, as whom.
    const parts = [
      "strong: Notes for the blind",
      "term: Where the access goes",
      "term: What it may do",
      "Read your notes",
      "term: Your account",
      "alice@example.com",
      "The access goes to a program on your computer",
      'button "Allow"',
      'button "Deny"',
      'button "Use another account"',
    ];
    expect(parts.filter((part) => !consent.includes(part))).toEqual([]);
    const places = parts.map((part) => consent.indexOf(part));
    expect(places).toEqual([...places].sort((one, two) => one - two));
    expect(await keys.tabTo("Use another account")).toEqual(["Allow", "Deny"]);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    // Space presses a button, too.
    await page.keyboard.press("Space");
    await page.getByRole("heading", { name: "Back at the program" }).waitFor();
    const tokens = await client.redeem(new URL(page.url()));
    expect(await tryToken(server.origin, tokens.access_token)).toBe(200);

    await page.goto(`${server.origin}/account`);
    const account = await keys.arrive("Your account at Notes");
    expect(account).toContain('heading "Programs with access" [level=2]');
    await keys.enter("End the access of Notes for the blind");
    await page.getByText("None.").waitFor();
    await keys.arrive("Your account at Notes");
    expect(
      await client.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token }),
    ).toMatchObject({ error: "invalid_grant" });
    await keys.enter("Log out in this browser");
    await keys.arrive("Logged out");
    await page.goto(`${server.origin}/account`);
    await keys.arrive("Log in to Notes");
    await keys.enter("Continue with the development login");
    await keys.arrive("Choose a user");
    await keys.enter("Bob Example");
    await keys.arrive("Your account at Notes");
  });

  test("a person with a keyboard alone denies a client, and the client learns it", async () => {
    await using server = await startProtected();
    await using callback = await startCallback();
    await using opened = await openKeyboard();
    const { page, keys } = opened;
    await page.goto((await clientOf(server, callback.origin)).authorizationUrl());
    await keys.enter("Continue with the development login");
    await keys.enter("Alice Example");
    await keys.enter("Deny");
    await page.getByRole("heading", { name: "Back at the program" }).waitFor();
    expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied");
  });

  test("a person with a keyboard alone connects a device: a wrong code is announced at the field, with the focus there", async () => {
    await using server = await startProtected();
    await using opened = await openKeyboard();
    const { page, keys } = opened;
    const { body } = await register(server.origin, {
      client_name: "A television",
      redirect_uris: [],
      response_types: [],
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
      token_endpoint_auth_method: "none",
    });
    const begun = await fetch(`${server.origin}/device-authorization`, {
      method: "POST",
      body: new URLSearchParams({ client_id: String(body["client_id"]), scope: "notes:read" }),
    });
    const device = (await begun.json()) as { readonly user_code: string; readonly verification_uri: string };
    await page.goto(device.verification_uri);
    await keys.arrive("Connect a device to Notes");
    await keys.tabTo("The code that your device shows");
    await page.keyboard.type("BBBB-BBBB");
    await page.keyboard.press("Enter");
    const wrong = await keys.arrive("Wrong code: connect a device to Notes");
    expect(wrong).toContain("alert: This code is wrong, or it has ended.");
    expect(await page.evaluate(focused)).toBe("The code that your device shows");
    const field = page.getByLabel("The code that your device shows");
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator(`#${await field.getAttribute("aria-describedby")}`).textContent()).toBe(
      "This code is wrong, or it has ended.",
    );
    await page.keyboard.press("Control+a");
    await page.keyboard.type(device.user_code);
    await page.keyboard.press("Enter");
    const start = await keys.arrive("Log in to Notes");
    expect(start).toContain(device.user_code);
    await keys.enter("Continue with the development login");
    await keys.enter("Alice Example");
    expect(await keys.arrive("Allow access to Notes?")).toContain(device.user_code);
    await keys.enter("Allow");
    await keys.arrive("Access allowed");
  });

  test("a person with a keyboard alone gets out of every page of a failure, or reads what to do", async () => {
    let isAllowed = true;
    await using server = await startProtected({
      upstream: [development(), other],
      allow: () => isAllowed,
      limits: { maxLogins: 3 },
    });
    await using callback = await startCallback();
    await using opened = await openKeyboard();
    const { page, keys } = opened;
    const client = await clientOf(server, callback.origin);
    await page.goto(`${server.origin}/login?id=unknown`);
    expect(await keys.arrive("This login has ended")).toContain("log in again");
    await page.goto(client.authorizationUrl({ redirect_uri: "https://evil.example/" }));
    await keys.arrive("The login failed");
    isAllowed = false;
    await page.goto(client.authorizationUrl());
    await keys.enter("Continue with the development login");
    await keys.enter("Alice Example");
    await keys.arrive("No access to Notes");
    isAllowed = true;
    await keys.enter("Try again");
    await keys.arrive("Log in to Notes");
    await page.goto(client.authorizationUrl());
    await page.goto(client.authorizationUrl());
    expect(await keys.arrive("Too many logins at a time")).toContain("Try again in a minute");
    await page.goto(`${server.origin}/account`);
    await keys.enter("Continue with Other");
    await keys.arrive("Too many logins at a time");
    await keys.enter("Try again");
    await keys.arrive("Log in to Notes");
  });

  test("a page of the broker in a frame of another site shows nothing to click on", async () => {
    await using server = await startProtected();
    await using callback = await startCallback();
    const client = await clientOf(server, callback.origin);
    await using trap = await serveSite({
      "/": `<!doctype html><title>Trap</title><iframe title="trap" src="${client.authorizationUrl().replaceAll("&", "&amp;")}"></iframe>`,
    });
    await using opened = await openKeyboard();
    const { page } = opened;
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(trap.origin);
    await refused;
    const texts = await Promise.all(page.frames().map((frame) => frame.locator("button").count()));
    expect(texts).toEqual(texts.map(() => 0));
  });
});
