import type { Page } from "@tenon/test-support/chromium";

/** Presses keys, one after another. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key);
  }
}

/** Tabs until the element with the focus has a name, as a person without a mouse does. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const pattern = typeof name === "string" ? name : name.source;
  const deadline = performance.now() + 30_000;
  // The element may not be drawn yet, so the number of keys has no limit.
  while (performance.now() < deadline) {
    await page.keyboard.press("Tab");
    const isThere = await page.evaluate<boolean>(`(() => {
      const one = document.activeElement;
      if (one === document.body) {
        return false;
      }
      const label = one?.labels?.[0]?.textContent ?? "";
      const name = [one?.getAttribute("aria-label"), label, one?.textContent, one?.placeholder].find((text) => text);
      return new RegExp(${JSON.stringify(pattern)}).test(name ?? "");
    })()`);
    if (isThere) {
      return;
    }
  }
  throw new Error(`The focus does not reach ${pattern}.`);
}

/** Tabs to a button or a link, and activates it. */
export async function choose(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}
