import { bothEras } from "@tenon/test-support";
import {
  bundleForBrowser,
  chromiumPath,
  openPage,
  serveSite,
  startChromium,
} from "@tenon/test-support/chromium";
import { expect, test } from "vitest";

test.skipIf(chromiumPath === undefined)(
  "a page in Chromium runs a program of the workspace, and its errors are seen (skipped without Chromium)",
  async () => {
    await using site = await serveSite({
      "/": `<!doctype html><script type="module" src="/main.js"></script><script>throw new Error("on purpose");</script>`,
      "/main.js": await bundleForBrowser(new URL("browser/title.ts", import.meta.url)),
    });
    await using browser = await startChromium();
    const errors: string[] = [];
    const page = await openPage(browser, site.origin, ({ message }) => errors.push(message));
    expect(await page.title()).toBe(bothEras.join(" "));
    expect(errors).toEqual(["on purpose"]);
  },
);

test.skipIf(chromiumPath === undefined)(
  "both names of a site serve the same files under two origins (skipped without Chromium)",
  async () => {
    await using site = await serveSite({ "/": "<!doctype html><title>one</title>" });
    await using browser = await startChromium();
    for (const origin of [site.origin, site.otherOrigin]) {
      const page = await openPage(browser, `${origin}/`);
      expect(await page.title()).toBe("one");
      expect(await page.evaluate("origin")).toBe(origin);
    }
  },
);
