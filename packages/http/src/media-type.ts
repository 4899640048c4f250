/** @source RFC 6838 §4.2 */
const names = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/**
 * The type and subtype of a `Content-Type`, in lower case and without parameters; `undefined` if it
 * is malformed. A substring test would treat `text/plain; x=application/json` as JSON.
 *
 * @source RFC 9110 §8.3.1
 */
export function mediaType(contentType: string | undefined | null): string | undefined {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  return type !== undefined && names.test(type) ? type : undefined;
}

/** Clients repeat the same few headers, so the results are cached by type and header. */
const known = new Map<string, Map<string, boolean>>();
const maxKnown = 64;
const maxKnownLength = 200;

/**
 * Whether an `Accept` header admits a media type: by name, by `type/*` or by `*` `/*`, and not with
 * `q=0`. A missing header admits everything (RFC 9110 §12.5.1).
 */
export function accepts(accept: string | undefined | null, type: string): boolean {
  if (accept === undefined || accept === null || accept === type) {
    return true;
  }
  let headers = known.get(type);
  if (headers === undefined) {
    headers = new Map();
    known.set(type, headers);
  }
  const before = headers.get(accept);
  if (before !== undefined) {
    return before;
  }
  const admitted = admits(accept, type);
  if (headers.size < maxKnown && accept.length <= maxKnownLength) {
    headers.set(accept, admitted);
  }
  return admitted;
}

function admits(accept: string, type: string): boolean {
  const wildcard = `${type.slice(0, type.indexOf("/"))}/*`;
  return accept.split(",").some((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const matches = name === type || name === wildcard || name === "*/*";
    return matches && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
