import type { VNode } from "preact";

/** The host of an address of the web; `undefined` for any other address. */
export function hostOf(url: string): string | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    return undefined;
  }
  return new URL(url).host;
}

/** A link of a server to the web. Its host is shown, because the text may name another one. */
export function OutsideLink({ url, children }: { url: string; children: string | readonly string[] }): VNode {
  const host = hostOf(url);
  const text = [children].flat().join("");
  // A user and a password, or letters of other scripts, may look like another host.
  const namesHost = text === host || (host !== undefined && `${text}/`.startsWith(`${new URL(url).origin}/`));
  return host === undefined ? (
    <span>{children}</span>
  ) : (
    <a href={url} target="_blank" rel="noopener noreferrer" title={url}>
      {children}
      {namesHost ? "" : <span class="dim"> ({host})</span>}
    </a>
  );
}
