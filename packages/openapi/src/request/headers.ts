import { ToolError } from "@tenon/mcp";

import { encodeUnreserved } from "./encode.ts";
import { serializeInline, serializePairs } from "./serialize.ts";
import { contentText, type Given } from "./url.ts";

/** Visible ASCII, with spaces and tabs inside: every HTTP implementation accepts it in a header. */
const fieldValue = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;

/**
 * Writes the headers of the parameters.
 *
 * @throws `ToolError` for a value with other characters than visible ASCII and spaces, above all
 *   with line ends, which would start another header.
 */
export function writeHeaders(given: readonly Given[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { parameter, value, argument } of given) {
    const { name, mediaType } = parameter;
    const text =
      mediaType === undefined
        ? serializeInline(name, value, parameter, (one) => one)
        : contentText(value, mediaType);
    if (!fieldValue.test(text)) {
      throw new ToolError(
        `The argument ${argument} is sent in a header, which may have visible ASCII characters and spaces only.`,
      );
    }
    headers[name.toLowerCase()] = text;
  }
  return headers;
}

/** Writes the header `Cookie`; `undefined` if there is no cookie. */
export function writeCookies(given: readonly Given[]): string | undefined {
  const pairs = given.flatMap(({ parameter, value }) =>
    parameter.mediaType === undefined
      ? serializePairs(parameter.name, value, parameter, encodeUnreserved)
      : [
          [
            encodeUnreserved(parameter.name),
            encodeUnreserved(contentText(value, parameter.mediaType)),
          ] as const,
        ],
  );
  return pairs.length === 0 ? undefined : pairs.map(([name, value]) => `${name}=${value}`).join("; ");
}
