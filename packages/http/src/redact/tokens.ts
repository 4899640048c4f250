/** Replaces a secret. */
export const hidden = "[redacted]";

/**
 * Forms that well-known services give their tokens, and JSON Web Tokens. They may follow an escape
 * of a URL or of a terminal, which ends with a letter or a digit.
 */
const knownToken = new RegExp(
  String.raw`(?:\b|(?<=%[\dA-Fa-f]{2}|(?:\x1b|[ux](?:00)?1[bB])\[[\d;]{0,20}m))(?:${[
    // OpenAI, Anthropic, Stripe and others. A word of prose has no digit.
    String.raw`[sprt]k[-_](?=[\w-]{0,200}[\dA-Z])[\w-]{6,}`,
    String.raw`gh[opusr]_\w{6,}`,
    String.raw`github_pat_\w{6,}`,
    String.raw`gl(?:pat|dt|ptt|cbt|rt|ft|soat)-[\w-]{6,}`,
    String.raw`xox[a-z]-[\w-]{6,}`,
    String.raw`xapp-\d-[\w-]{6,}`,
    String.raw`A[KS]IA[A-Z0-9]{12,}`,
    String.raw`AIza[\w-]{20,}`,
    String.raw`ya29\.[\w-]{10,}`,
    String.raw`GOCSPX-[\w-]{10,}`,
    String.raw`hf_(?=\w{0,200}[\dA-Z])\w{6,}`,
    String.raw`npm_(?=\w{0,200}[\dA-Z])\w{20,}`,
    String.raw`pypi-[\w-]{20,}`,
    String.raw`do[opr]_v1_\w{20,}`,
    String.raw`shp(?:at|ca|pa|ss)_\w{16,}`,
    String.raw`SG\.[\w-]{10,}\.[\w-]{10,}`,
    String.raw`(?:gsk|xai|r8|ntn|lin_api|figd|pplx|dapi|tvly|fc|nvapi|sntrys|atlasv1|hvs|hvb)[-_.](?=[\w-]{0,200}\d)[\w-]{16,}`,
    String.raw`ATATT[\w=-]{16,}`,
    String.raw`whsec_[\w+/=]{16,}`,
    String.raw`(?:bot)?\d{8,10}:AA[\w-]{30,}`,
    String.raw`AGE-SECRET-KEY-1\w{20,}`,
    String.raw`eyJ[\w-]{8,}\.[\w.=+/-]+`,
  ].join("|")})`,
  "g",
);
/** Addresses that are secrets as a whole, because they need no other credential. */
const webhook =
  /\b(hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks)\/[\w/-]{8,}/gi;
const privateKey =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;
const credentials = /\b(Bearer|Basic|DPoP|Negotiate|ApiKey|Token)([ \t]{1,8})([\w+/=.~:-]{3,})/gi;
/** Words that follow the name of a scheme in sentences. */
const prose =
  /^(?:auth|authentication|authorization|credentials?|scheme|schemes|header|headers|tokens?|realm|error|access|challenge|challenges|or|and|is|was|are|has|have|not|for|from|with|in|of|to|the|that|must|required|missing|invalid|expired|usage|type|methods?|support|only|refused|endpoint|format|value|count|limit)[.:]*$/i;

/** Replaces tokens in the form of well-known services, credentials and private keys. */
export function redactTokens(text: string): string {
  return text
    .replaceAll(privateKey, hidden)
    .replaceAll(credentials, (whole, scheme: string, space: string, value: string) =>
      isCredential(scheme, value) ? `${scheme}${space}${hidden}` : whole,
    )
    .replaceAll(webhook, `$1/${hidden}`)
    .replaceAll(knownToken, hidden);
}

function isCredential(scheme: string, value: string): boolean {
  if (prose.test(value)) {
    return false;
  }
  if (/^(?:bearer|dpop)$/i.test(scheme)) {
    return true;
  }
  // The other schemes are words that sentences contain.
  return /^(?=.*(?:\d|=|[a-z][A-Z]))[\w+/=.~:-]{8,}$/.test(value);
}

/**
 * True if a string seems to contain a token of a well-known service, or a private key. A recording
 * that contains one is not fit to be committed.
 */
export function hasToken(text: string): boolean {
  return text.search(knownToken) >= 0 || text.search(privateKey) >= 0;
}
