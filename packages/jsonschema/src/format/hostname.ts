import { isRightToLeft, isULabel, obeysBidiRule } from "./idna.ts";
import { decodePunycode, punycodeLength } from "./punycode.ts";

const ldh = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i;
const ascii = /^[^\u{80}-\u{10ffff}]*$/u;
// Letters and digits between single dots and hyphens: no label can be an A-label, for these have
// two hyphens.
const common = /^[a-zA-Z\d]+(?:[.-][a-zA-Z\d]+)*$/;
// RFC 3490 §3.1
const dots = /[.\u3002\uff0e\uff61]/u;

/**
 * `hostname` of RFC 1123 §2.1; labels that start with `xn--` must be A-labels (RFC 5890 §2.3.2.1).
 */
export function isHostname(text: string): boolean {
  return (text.length < 64 && common.test(text)) || (ascii.test(text) && isName(text.split(".")));
}

/** `idn-hostname`: RFC 1123 names, and internationalised ones by RFC 5891. */
export function isIdnHostname(text: string): boolean {
  return isName(text.split(dots));
}

function isName(labels: readonly string[]): boolean {
  let length = labels.length - 1;
  const unicode: string[] = [];
  for (const label of labels) {
    if (label === "") {
      return false;
    }
    if (ascii.test(label)) {
      if (!ldh.test(label) || label.length > 63) {
        return false;
      }
      length += label.length;
      if (!label.toLowerCase().startsWith("xn--")) {
        unicode.push(label);
      } else {
        const decoded = aLabel(label.slice(4).toLowerCase());
        if (decoded === undefined) {
          return false;
        }
        unicode.push(decoded);
      }
    } else {
      if (!isULabel(label)) {
        return false;
      }
      const encoded = 4 + punycodeLength(Array.from(label, (c) => c.codePointAt(0) ?? 0));
      if (encoded > 63) {
        return false;
      }
      length += encoded;
      unicode.push(label);
    }
    if (length > 253) {
      return false;
    }
  }
  return !unicode.some(isRightToLeft) || unicode.every(obeysBidiRule);
}

/** The U-label behind an A-label, if it is valid and needs Punycode. */
function aLabel(punycode: string): string | undefined {
  const points = decodePunycode(punycode);
  if (points === undefined || points.every((point) => point < 128)) {
    return undefined;
  }
  const label = String.fromCodePoint(...points);
  return isULabel(label) ? label : undefined;
}
