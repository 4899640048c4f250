/** The policy of the page: its own scripts, styles and requests, and nothing else. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/**
 * The headers of a page of the inspector.
 *
 * @param frames - The origins that the page shows in frames.
 */
export function pageHeaders(frames: readonly string[]): Readonly<Record<string, string>> {
  return frames.length === 0
    ? securityHeaders
    : { ...securityHeaders, "content-security-policy": `${policy}; frame-src ${frames.join(" ")}` };
}

/** The headers of every response. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
};
