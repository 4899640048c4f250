import { listen } from "@tenon/sdk/node";
import { chromiumPath, openPage, serveSite, startChromium } from "@tenon/test-support/chromium";
import { expect, test } from "vitest";

import { createBakery } from "../src/bakery.ts";
import { bundlePage, documentOf } from "../src/bundle.ts";

test.skipIf(chromiumPath === undefined)(
  "the page orders a cake, and follows it after it was loaded again (skipped without Chromium)",
  async () => {
    const pages: Record<string, string> = { "/main.js": await bundlePage() };
    await using site = await serveSite(pages);
    await using bakery = createBakery(site.origin, 20);
    await using listening = await listen(bakery, { port: 0 });
    pages["/"] = documentOf(listening.url.href);
    await using browser = await startChromium();
    const errors: Error[] = [];
    const page = await openPage(browser, site.origin, (error) => errors.push(error));
    const click = (name: string): Promise<void> => page.getByRole("button", { name }).click();
    await click("Order a cake");
    await page.getByText("Which icing?").waitFor();
    await page.getByText("3/3 cooled").waitFor();

    await page.reload();
    await click("lemon");
    await page.getByText("A cake with lemon icing.").waitFor();

    await click("Order a cake");
    await page.getByText("Which icing?").waitFor();
    await click("Cancel");
    await page.getByText("The bakery is ready, the cake is cancelled.").waitFor();
    await expect.poll(() => page.getByText("Which icing?").count()).toBe(0);
    expect(errors).toEqual([]);
  },
);
