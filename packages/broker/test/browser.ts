/** A page as a browser shows it. */
export interface Page {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

/** A browser without scripts: cookies, redirects and forms. */
export interface Browser {
  readonly cookies: Map<string, string>;
  /** Follows redirects, except those that `stop` matches. */
  visit(url: string, init?: RequestInit): Promise<Page>;
  /** Sends the form of a page with one of its buttons. */
  submit(page: Page, button: string, changes?: Readonly<Record<string, string>>): Promise<Page>;
  /** Follows the link with a text. */
  follow(page: Page, text: string): Promise<Page>;
}

/** Opens a browser. @param stop - Redirects that are not followed: the page is the redirect. */
export function openBrowser(stop: (url: string) => boolean = () => false): Browser {
  const cookies = new Map<string, string>();

  async function visit(url: string, init: RequestInit = {}): Promise<Page> {
    let next = { url, init };
    for (let hop = 0; hop < 20; hop++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = new Headers(next.init.headers);
      headers.set("accept", "text/html,*/*");
      if (cookie !== "") {
        headers.set("cookie", cookie);
      }
      const response = await fetch(next.url, { ...next.init, headers, redirect: "manual" });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === "") {
          cookies.delete(name);
        } else {
          cookies.set(name, value);
        }
      }
      const text = await response.text();
      const location = response.headers.get("location");
      const target = location === null ? undefined : new URL(location, next.url).href;
      if (target === undefined || stop(target)) {
        return { status: response.status, url: target ?? next.url, text, headers: response.headers };
      }
      next = { url: target, init: {} };
    }
    throw new Error("The redirects do not end.");
  }

  return {
    cookies,
    visit,
    submit(page, button, changes = {}) {
      const form = new URLSearchParams();
      for (const [, name = "", value = ""] of page.text.matchAll(
        /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
      )) {
        form.set(name, unescaped(value));
      }
      form.set("do", button);
      for (const [name, value] of Object.entries(changes)) {
        form.set(name, value);
      }
      const action = new URL(
        unescaped(/<form method="post" action="([^"]*)"/.exec(page.text)?.[1] ?? ""),
        page.url,
      );
      return visit(action.href, {
        method: "POST",
        body: form,
        headers: { origin: action.origin, "sec-fetch-site": "same-origin" },
      });
    },
    follow(page, text) {
      const link = [...page.text.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)</g)].find(
        ([, , label]) => label === text,
      );
      if (link === undefined) {
        throw new Error(`No link ${text} on ${page.text}`);
      }
      return visit(new URL(unescaped(link[1] ?? ""), page.url).href);
    },
  };
}

function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** Logs in as Alice if nobody is logged in, and allows what is asked. */
export async function allowAll(browser: Browser, url: string, name = "Alice Example"): Promise<Page> {
  let page = await browser.visit(url);
  if (page.text.includes("with:development")) {
    page = await browser.follow(await browser.submit(page, "with:development"), name);
  }
  return page.text.includes('value="allow"') ? browser.submit(page, "allow") : page;
}
