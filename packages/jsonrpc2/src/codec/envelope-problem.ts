import { endOfString } from "./string-end.ts";

const envelopeKeys = ['"jsonrpc"', '"id"', '"method"', '"params"', '"result"', '"error"'] as const;
const unusualId = /"id"\s*:\s*-?\d+[.eE]/;

const quote = 0x22;

/**
 * Finds a problem in an envelope that is valid JSON: a repeated member, or an ID such as `1e3` or
 * `1.0`, which would be sent back as `1000` or `1`. The ID of a response is not sent back, and Lua
 * and some libraries of Java write whole numbers as `1.0`. `text` must be a JSON object or array.
 *
 * For almost every message a few native searches are enough. A text is scanned only if a member's
 * name occurs again (perhaps inside the params), or could be hidden by an escape.
 */
export function envelopeProblem(text: string, isResponse = false): string | undefined {
  return isSuspicious(text) ? scan(text, isResponse) : undefined;
}

function isSuspicious(text: string): boolean {
  if (text.includes("\\u00")) {
    return true;
  }
  for (const key of envelopeKeys) {
    const first = text.indexOf(key);
    if (first >= 0 && text.indexOf(key, first + key.length) >= 0) {
      return true;
    }
  }
  return unusualId.test(text);
}

function scan(text: string, isResponse: boolean): string | undefined {
  const envelopeDepth = text.trimStart().startsWith("[") ? 2 : 1;
  let keys = new Set<string>();
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        depth++;
        if (depth === envelopeDepth) {
          keys = new Set();
        }
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case quote: {
        const end = endOfString(text, at);
        const colon = depth === envelopeDepth ? skipWhitespace(text, end) : -1;
        if (text.charCodeAt(colon) === 0x3a) {
          const key: unknown = JSON.parse(text.slice(at, end));
          if (typeof key === "string" && keys.has(key)) {
            return "a member of the envelope occurs twice";
          }
          if (key === "id" && !isResponse && isUnusualNumber(text, skipWhitespace(text, colon + 1))) {
            return '"id" must be written as a plain integer';
          }
          keys.add(String(key));
        }
        at = end - 1;
        break;
      }
      default:
    }
  }
  return undefined;
}

function isUnusualNumber(text: string, from: number): boolean {
  const number = /^-?\d[\d.eE+-]*/.exec(text.slice(from, from + 64));
  return number !== null && /[.eE]/.test(number[0]);
}

function skipWhitespace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) {
    at++;
  }
  return at;
}
