import { redactArguments } from "./arguments.ts";
import { redactor } from "./redactor.ts";
import { redactUrl } from "./url.ts";

/** A word of a command. Quotes keep words together, as a shell reads them. */
const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

/** The address or the command of a server as it may be shown, recorded and exported. */
export function redactTarget(target: string): string {
  if (target.includes("://") && URL.canParse(target)) {
    return redactUrl(target);
  }
  const redact = redactor();
  const words = (target.match(word) ?? []).map((each) => each.replace(/^(["'])(.*)\1$/s, "$2"));
  const safe = redactArguments(words, redact);
  const isSame = safe.every((each, index) => each === words[index]);
  return String(redact(isSame ? target : safe.join(" ")));
}
