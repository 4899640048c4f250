import {
  isPrivatePart,
  isRandom,
  isSecretHeader,
  isSecretOption,
  isSecretParameter,
  secrecyOf,
} from "./names.ts";
import { hidden, redactTokens } from "./tokens.ts";
import { decode, redactUrlsIn } from "./url.ts";

/** Matches every text that the rules below change. Most strings of messages do not match. */
const suspicious =
  /[:=@?&#"'`%<]|----|(?:^|\s)-|[A-Za-z\d][-_.][\w-]{6,}|(?:bearer|basic|dpop|negotiate|apikey|token|login)[ \t]|A[KS]IA|AIza|ATATT/i;
/** A header on a line of its own. */
const headerLine =
  /^((?:[ \t]{0,40}[<>*])?[ \t]{0,40})([A-Za-z][\w-]{2,60})([ \t]{0,8}:[ \t]{0,8})(\S[^\r\n]*)$/gm;
/** A header in the middle of a string, up to its end or the next quote. */
const headerWithin =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{0,60}(?:key|token|secret|auth))([ \t]{0,8}:[ \t]{0,8})([^\s"'`\\][^"'`\\\r\n]*)/gi;
/** A name and a value in quotes, as in JSON that was cut, and in dumps of objects. */
const quoted =
  /((\\{0,8}["'])([\w.$ -]{1,64})\2[ \t]{0,8}(?::|=>?)[ \t]{0,8}|(?<![\w.$-])([\w.$-]+)[ \t]{0,8}(?::|=>?)?[ \t]{0,8})(?:(\\{0,8}["'`])((?:(?!\5)[^\r\n])*)\5|(?<=["'][ \t]{0,8}(?::|=>?)[ \t]{0,8})(-?\d[\d.]*))/g;
/** An assignment, which may be the value of an option: `--set password=…`, `--set=password=…`. */
const assigned =
  /(?<![\w.$-])((?:--?[A-Za-z][\w-]{0,60}=)?[\w.$-]+)([ \t]{0,8}=[ \t]{0,8})(?![=>"'`])([^\s&;,"'`<>)\]}]+)/g;
const colon =
  /(?<![\w.$-])([\w.$-]+)([ \t]{0,8}:[ \t]{0,8})(?![/"'`])([^\s"'`,;<>(){}[\]]+)(?=([^\r\n]{0,8}))/g;
const option = /(^|[\s"'`([])(--?[A-Za-z][\w-]{0,60})(=|[ \t]{1,8})("[^"\r\n]*"|'[^'\r\n]*'|[^\s"'`]+)/g;
const user = /(^|\s)(-u|--user|--proxy-user)([ \t]{1,8})([^\s:"'`]+:[^\s"'`]+)/g;
const netrc = /\b(login[ \t]{1,8})(\S+)([ \t]{1,8}password[ \t]{1,8})(\S+)/gi;
const element = /(<([\w.:-]{1,64})>[ \t]{0,8})([^<>\r\n]+)(?=<\/\2>)/g;
const form = /^[\w.%[\]-]{1,100}=[^&\s]*(?:&[\w.%[\]-]{1,100}=[^&\s]*)+$/;
/** A line end that is written as in a string of a program. */
const escapedBreak = /((?:\\{1,4}[rnt])+)/;
/** Values that stay readable: names of variables, placeholders, and words of programs. */
const placeholder =
  /^(?:[$%<{*].*|process\.env.*|(?:your|my|the|an?|some|example|x{3,})(?:[-_ ].*)?|\[redacted\].*|true|false|null|undefined|none|value|string|number|boolean|integer|object|array|unknown|any|\.{3}|…)[.,;:!?]?$/i;

/**
 * A text without its secrets: users and parameters in addresses, headers, options of commands, form
 * bodies, assignments of values to names of secrets, credentials, and tokens in the form of
 * well-known services. Sentences about secrets stay readable.
 */
export function redactPlain(text: string): string {
  const safe = redactLines(text);
  if (!escapedBreak.test(safe)) {
    return safe;
  }
  // Lines of a quoted string, as in the message of an error about another error.
  return safe
    .split(escapedBreak)
    .map((part) => (escapedBreak.test(part) ? part : redactLines(part)))
    .join("");
}

function redactLines(text: string): string {
  if (text.length < 4 || !suspicious.test(text)) {
    return text;
  }
  if (form.test(text)) {
    return redactForm(text);
  }
  const headed = redactTokens(redactUrlsIn(text, redactPlain))
    .replaceAll(headerLine, (whole, start: string, name: string, sign: string, value: string) =>
      isHeaderWithSecret(name, value) ? `${start}${name}${sign}${hidden}` : whole,
    )
    .replaceAll(headerWithin, (whole, name: string, sign: string, value: string) =>
      isHeaderWithSecret(name, value) ? `${name}${sign}${hidden}` : whole,
    );
  return redactQuoted(headed)
    .replaceAll(assigned, (whole, names: string, sign: string, value: string) => {
      const name = names.slice(names.indexOf("=") + 1);
      // The result of a function, in a program.
      const isCall = sign !== "=" && value.includes("(");
      return isSecret(name, value) && !isCall ? `${names}${sign}${hidden}` : whole;
    })
    .replaceAll(colon, (whole, name: string, sign: string, value: string, rest: string) =>
      isSecret(name, value) && (rest.trim() === "" || isLikely(value)) ? `${name}${sign}${hidden}` : whole,
    )
    .replaceAll(option, (whole, start: string, name: string, sign: string, value: string) =>
      isSecretOption(name) && isOptionValue(sign, value) ? `${start}${name}${sign}${hidden}` : whole,
    )
    .replaceAll(element, (whole, start: string, name: string, value: string) =>
      isSecret(name, value) ? `${start}${hidden}` : whole,
    )
    .replaceAll(user, `$1$2$3${hidden}`)
    .replaceAll(netrc, `$1$2$3${hidden}`);
}

function redactForm(text: string): string {
  return text
    .split("&")
    .map((pair) => {
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      const decoded = decode(value);
      if (value !== "" && isSecretParameter(decode(name), decoded)) {
        return `${name}=${hidden}`;
      }
      const safe = redactPlain(decoded);
      return safe === decoded ? pair : `${name}=${encodeURIComponent(safe)}`;
    })
    .join("&");
}

/** Cookies and credentials may contain spaces. Other names with a colon also start sentences. */
function isHeaderWithSecret(name: string, value: string): boolean {
  if (value.startsWith("[redacted]")) {
    return false;
  }
  if (/^(?:(?:proxy-)?authorization|(?:set-)?cookie)$/i.test(name)) {
    return /^\S+$|[=\d]|^\w+ \S{8,}$/.test(value) && !placeholder.test(value);
  }
  return isSecretHeader(name) && name.includes("-") && !/\s/.test(value) && !placeholder.test(value);
}

function redactQuoted(text: string): string {
  const pattern = new RegExp(quoted);
  const isKey = /["']kty\\{0,8}["']/.test(text);
  const parts: string[] = [];
  let from = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [whole, start = "", , name, bare, quote, value = ""] = match;
    const safe = hideQuoted(start, name ?? bare ?? "", quote, value, isKey);
    if (safe === undefined) {
      // The value may contain further names, as JSON in a string does.
      pattern.lastIndex = match.index + Math.max(1, start.length);
    } else {
      parts.push(text.slice(from, match.index), safe);
      from = match.index + whole.length;
    }
  }
  return parts.length === 0 ? text : `${parts.join("")}${text.slice(from)}`;
}

/** A name with a hidden value; `undefined` if the value is not a secret. */
function hideQuoted(
  start: string,
  name: string,
  quote: string | undefined,
  value: string,
  isKey: boolean,
): string | undefined {
  const secrecy = isKey && isPrivatePart(name) ? "all" : secrecyOf(name);
  if (quote === undefined) {
    return secrecy === "all" ? `${start}"${hidden}"` : undefined;
  }
  if (secrecy === "none" || value === "" || placeholder.test(value)) {
    return undefined;
  }
  // Without a sign, as in: invalid password "x", the quote must be a value, not an ordinary word.
  const hasSign = /[:=]/.test(start) || (start.endsWith(" ") && /\d/.test(value));
  return hasSign ? `${start}${quote}${hidden}${quote}` : undefined;
}

function isSecret(name: string, value: string): boolean {
  const secrecy = secrecyOf(name);
  return (
    secrecy !== "none" &&
    !placeholder.test(value) &&
    !(secrecy === "strings" && /^[\d.]+$/.test(value)) &&
    !value.startsWith("[redacted")
  );
}

function isOptionValue(sign: string, value: string): boolean {
  if (value.startsWith("-") || placeholder.test(value)) {
    return false;
  }
  return sign === "=" || /^["']/.test(value) || isLikely(value);
}

/** A word that sentences do not contain. */
function isLikely(value: string): boolean {
  return (
    (/\d/.test(value) && value.length >= 4) ||
    value.length >= 20 ||
    isRandom(value) ||
    /[a-z][A-Z]/.test(value)
  );
}
