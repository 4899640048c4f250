import type { Browser } from "@tenon/test-support/chromium";

/** The frames of a time. */
export interface Frames {
  /** The intervals between frames, in milliseconds. */
  readonly intervals: readonly number[];
  /**
   * CPU time of the main thread for each frame, in milliseconds: it depends less on other programs
   * of the machine than the intervals do.
   */
  readonly cpuMs: number;
}

/** A page whose frames and whose load are measured. */
export interface MeasuredPage extends AsyncDisposable {
  /** Milliseconds from the navigation until lines are shown, and until all lines are loaded. */
  readonly load: { readonly usableMs: number; readonly completeMs: number };
  /** Filters the timeline. */
  filter(text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** Measures the frames in a time, in milliseconds, while the list is scrolled or not. */
  frames(ms: number, scrolls: boolean): Promise<Frames>;
}

/** Runs in the page before its scripts. Notes when lines are shown, and when all are loaded. */
const watch = `(count) => {
  const marks = (globalThis.marks = {});
  const look = () => {
    const input = document.getElementById("filter");
    if (marks.usableMs === undefined && input !== null && document.querySelector("[role=option]") !== null) {
      marks.usableMs = performance.now();
    }
    if (document.querySelector(".toolbar p")?.textContent.startsWith(count + " ")) {
      marks.completeMs = performance.now();
      return;
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;

/** Scrolls by 14 lines in each frame, up and down, and returns the intervals of frames. */
const record = `(ms, scrolls) => new Promise((resolve) => {
  const list = document.querySelector(".virtual");
  const intervals = [];
  let start, last, step = -400;
  const tick = (now) => {
    start ??= now;
    if (last !== undefined) {
      intervals.push(now - last);
    }
    last = now;
    if (scrolls) {
      const before = list.scrollTop;
      list.scrollTop += step;
      if (list.scrollTop === before) {
        step = -step;
      }
    }
    if (now - start < ms) {
      requestAnimationFrame(tick);
    } else {
      resolve(intervals);
    }
  };
  requestAnimationFrame(tick);
})`;

/** Opens the page of a link, and waits until all lines are loaded. */
export async function openMeasured(browser: Browser, link: URL, count: number): Promise<MeasuredPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(`(${watch})(${count})`);
  await page.goto(link.href);
  // The policy of the page forbids to wait for an expression.
  await page
    .locator(".toolbar p")
    .filter({ hasText: `${count} lines` })
    .waitFor({ timeout: 120_000 });
  const devtools = await context.newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpuMs = async (): Promise<number> => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
  };
  return {
    load: await page.evaluate<MeasuredPage["load"]>("marks"),
    async filter(text) {
      await page.locator("body").press("/");
      await page.locator("#filter").fill(text);
      // Escape would remove the filter.
      await page.locator("#filter").press("Enter");
    },
    press: (key) => page.locator("body").press(key),
    async frames(ms, scrolls) {
      const before = await cpuMs();
      const intervals = await page.evaluate<readonly number[]>(`(${record})(${ms}, ${scrolls})`);
      return { intervals, cpuMs: ((await cpuMs()) - before) / intervals.length };
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
