import { sandboxProxy } from "@tenon/apps/host";
import {
  bundleForBrowser,
  chromiumPath,
  openPage,
  serveSite,
  startChromium,
} from "@tenon/test-support/chromium";
import { expect, test } from "vitest";

const program = (name: string): Promise<string> =>
  bundleForBrowser(new URL(`browser/${name}.ts`, import.meta.url));

test.skipIf(chromiumPath === undefined).each([
  ["official-view", "our-host"],
  ["our-view", "official-host"],
  ["our-view", "our-host"],
])("%s and %s talk through our sandbox proxy (skipped without Chromium)", async (view, host) => {
  const script = (await program(view)).replaceAll("</script", "<\\/script");
  await using page = await serveSite({
    "/": `<!doctype html><body><script type="module" src="/main.js"></script>`,
    "/main.js": await program(host),
    "/view.html": `<!doctype html><body>view<script type="module">${script}</script>`,
  });
  const { html, headers } = sandboxProxy({ hostOrigin: page.origin });
  await using proxy = await serveSite({ "/": { body: html, headers } });
  await using browser = await startChromium();
  const errors: string[] = [];
  const query = new URLSearchParams({ proxy: `${proxy.otherOrigin}/` });
  const opened = await openPage(browser, `${page.origin}/?${query.toString()}`, ({ message }) =>
    errors.push(message),
  );
  await opened.waitForFunction("globalThis.logged?.length >= 3");
  await opened.evaluate("end()");
  const logged = await opened.evaluate<unknown[]>("logged");
  expect(logged).toContain("resized");
  expect(logged.filter((entry) => entry !== "resized")).toEqual([
    { input: { city: "Berlin" } },
    { result: [{ type: "text", text: "Sunny" }], refreshed: [{ type: "text", text: "Rain" }] },
    { end: true },
  ]);
  expect(errors).toEqual([]);
});
