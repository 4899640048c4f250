/** Words that make a name the name of a secret, after any other words. */
const secretWords = new Set(
  "token secret secrets password passwords passwd passphrase passcode pwd credential credentials cookie cookies bearer authorization jwt pat otp totp pin dsn cvv cvc apikey apikeys".split(
    " ",
  ),
);
/** Words whose strings are secrets. Their numbers count something. */
const secretTextWords = new Set(["tokens", "pass", "auth"]);
/** Words that make a key, or a code, a secret. */
const beforeKey = new Set(
  "api access private secret signing encryption master account shared auth license service deploy client subscription storage ssh session functions admin root".split(
    " ",
  ),
);
const beforeCode = new Set(
  "recovery verification auth authorization security access backup time login".split(" "),
);
/** Last words of names that describe a secret but do not contain it, such as `token_endpoint`. */
const describing = new Set(
  "endpoint endpoints url urls uri uris server servers type types method methods supported count counts limit limits length size expiry expires expiration ttl at in name names hint policy required optional enabled disabled format scheme schemes algorithm alg file filename path ref budget used usage remaining version status".split(
    " ",
  ),
);
/** Names written without separators. */
const glued =
  /passw(?:or)?[dt]|passphrase|seedphrase|mnemonic|codeverifier|devicecode|clientassertion|secret(?!ar)|apikey|(?:auth|access|refresh|id|bearer|session|csrf|xsrf)token|privatekey|accesskey|credential|connectionstring/;
/** Positions in lists and streams, which replays compare. */
const position =
  /^(?:progress|nextpage|prevpage|previouspage|next|page|continuation|sync|cursor|pagination)token$/;

/** Parameters of URLs and forms that are secrets by their whole name. */
const secretParameters = new Set(
  "key sig signature session sid sessionid jsessionid phpsessid ticket assertion clientassertion pass pw hmac xamzsignature xamzcredential xgoogsignature".split(
    " ",
  ),
);

/** Maximum length of a name. Of longer names only the end counts. */
const maxNameLength = 100;
/** Messages repeat the same names. */
const decided = /* @__PURE__ */ new Map<string, Secrecy>();
const maxDecided = 2000;

/** Which values of a name are secrets: all, only strings, or none. */
export type Secrecy = "all" | "strings" | "none";

/**
 * Decides by its words whether a name belongs to a secret, in any spelling: `apiKey`, `API_KEY`,
 * `x-api-key`. Names that describe a secret, such as `token_endpoint`, and positions in lists, such
 * as `nextPageToken`, do not.
 */
export function secrecyOf(name: string): Secrecy {
  const end = name.slice(-maxNameLength);
  const known = decided.get(end);
  if (known !== undefined) {
    return known;
  }
  const secrecy = decide(end);
  if (decided.size >= maxDecided) {
    decided.clear();
  }
  decided.set(end, secrecy);
  return secrecy;
}

function decide(name: string): Secrecy {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  const whole = words.join("");
  if (describing.has(last) || position.test(whole)) {
    return "none";
  }
  const isSecret = words.some((word, index) => {
    const before = words[index - 1] ?? "";
    return (
      secretWords.has(word) ||
      ((word === "key" || word === "keys") && beforeKey.has(before)) ||
      (word === "code" && beforeCode.has(before)) ||
      (word === "string" && before === "connection")
    );
  });
  if (isSecret || glued.test(whole)) {
    return "all";
  }
  return words.some((word) => secretTextWords.has(word)) ? "strings" : "none";
}

/** Whether a parameter of a URL or a form is a secret. Such names are shorter than others. */
export function isSecretParameter(name: string, value: string): boolean {
  if (secrecyOf(name) !== "none") {
    return true;
  }
  const words = wordsOf(name);
  const whole = words.join("");
  if (whole === "code") {
    // An authorization code, not the code of a country or a status.
    return value.length >= 8;
  }
  if (whole === "key" && /^[a-z]{1,12}$/.test(value)) {
    return false;
  }
  const isLike = words.some((word) =>
    ["key", "sig", "signature", "session", "auth", "private"].includes(word),
  );
  return secretParameters.has(whole) || (isLike && isRandom(value));
}

/** Whether a name belongs to a private member of JSON Web Keys. */
export function isPrivatePart(name: string): boolean {
  return /^(?:d|p|q|dp|dq|qi|oth|k|priv)$/.test(name);
}

/** Names of headers whose values are credentials. */
export function isSecretHeader(name: string): boolean {
  return (
    /^(?:dpop|mcp-session-id|x-amz-signature)$/i.test(name) ||
    secrecyOf(name) !== "none" ||
    /^x-.*-key$/i.test(name)
  );
}

const option =
  /token|secret|pass(?:word|wd|phrase|code)|\b(?:pass|pwd|pat|key|dsn)\b|[-_]key\b|api[-_]?key|auth|bearer|credential|cookie|session|signature|private|connection[-_]?string/i;

/** Whether an option of a command, or a variable in its arguments, has a secret as its value. */
export function isSecretOption(name: string): boolean {
  return !describing.has(wordsOf(name).at(-1) ?? "") && (option.test(name) || secrecyOf(name) !== "none");
}

/**
 * True for a word that only a machine would write: with letters of both cases and digits, or long
 * in hexadecimal.
 */
export function isRandom(word: string): boolean {
  const isMixed = word.length >= 12 && /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
  return isMixed || /^(?:[\da-f]{32,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.test(word);
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
}
