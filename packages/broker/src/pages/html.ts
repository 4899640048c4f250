import { createHash } from "node:crypto";

import type { BrokerResponse } from "../http/exchange.ts";

/** A page: a title that is not escaped, and a body of HTML. */
export interface Html {
  readonly title: string;
  readonly body: string;
}

/** The options of a page. */
export interface PageOptions {
  /** Further targets of its forms: sources of a Content Security Policy. */
  readonly formTargets?: readonly string[] | undefined;
  readonly headers?: readonly (readonly [string, string])[] | undefined;
}

const style = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;margin:0;padding:1.5rem;background:Canvas;color:CanvasText}
main{max-width:32rem;margin:0 auto}
h1{font-size:1.4rem;line-height:1.3}
dt{font-weight:600;margin-top:.75rem}
dd{margin:0;overflow-wrap:anywhere}
button,.button{font:inherit;display:inline-block;margin:.25rem .5rem .25rem 0;padding:.6rem 1.2rem;border:2px solid;border-radius:.4rem;background:Canvas;color:CanvasText;cursor:pointer;text-decoration:none}
button[value=allow],button.main{background:#1a5fb4;border-color:#1a5fb4;color:#fff}
button:focus-visible,a:focus-visible{outline:3px solid Highlight;outline-offset:2px}
.warning{border-left:4px solid #c64600;padding:.25rem .75rem}
form{margin:1rem 0}`;
const styleHash = createHash("sha256").update(style).digest("base64");

/** Text as HTML, in elements and in attributes with quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

/**
 * Prepares a string from a stranger for a page: shortened, and without characters that are
 * invisible or change the direction of writing.
 */
export function told(text: string, maxLength = 80): string {
  const plain = text.normalize("NFKC").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
  const shortened = plain.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
  return escaped(plain.length > maxLength ? `${shortened}…` : plain);
}

/**
 * A page that runs no script, that no site can frame, and that is not kept.
 *
 * @param content - A document of the operator's own may have styles and pictures.
 */
export function page(status: number, content: Html | string, options: PageOptions = {}): BrokerResponse {
  const targets = ["'self'", ...(options.formTargets ?? [])].join(" ");
  const looks =
    typeof content === "string"
      ? "style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; font-src 'self' https:"
      : `style-src 'sha256-${styleHash}'`;
  return {
    status,
    headers: [
      ["content-type", "text/html; charset=utf-8"],
      ["cache-control", "no-store"],
      [
        "content-security-policy",
        `default-src 'none'; ${looks}; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
      ],
      ["x-frame-options", "DENY"],
      ["x-content-type-options", "nosniff"],
      // The URL of a page stays here. `no-referrer` would also hide the origin of its forms.
      ["referrer-policy", "same-origin"],
      ...(options.headers ?? []),
    ],
    body: typeof content === "string" ? content : documentOf(content),
  };
}

function documentOf({ title, body }: Html): string {
  const [charset, viewport] = [
    `<meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width,initial-scale=1">`,
  ];
  return `<!doctype html>
<html lang="en">
<head>${charset}${viewport}<title>${escaped(title)}</title><style>${style}</style></head>
<body><main><h1>${escaped(title)}</h1>
${body}
</main></body>
</html>
`;
}
