import { isAbsolute, relative, sep } from "node:path";

const maxSegments = 256;
const start = /^file:\/\/(?:localhost)?\//i;
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * The segments of the path in a `file:` URI, percent-decoded; `undefined` for any other URI, or if
 * a segment could mean anything but a name in a directory. Servers have resolved dot segments
 * before; the URI is split by hand, because an encoded `..` that is left could lead out.
 */
export function segmentsOf(uri: string): readonly string[] | undefined {
  const head = start.exec(uri);
  if (head === null || /[?#]/.test(uri)) {
    return undefined;
  }
  const encoded = uri.slice(head[0].length).split("/");
  if (encoded.length > maxSegments) {
    return undefined;
  }
  const segments: string[] = [];
  for (const part of encoded) {
    const segment = decode(part);
    if (segment === undefined || !isName(segment)) {
      return undefined;
    }
    segments.push(segment);
  }
  return segments;
}

/** True if a path lies below a folder. Both are real paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function isName(segment: string): boolean {
  const isSpecial = segment === "" || segment === "." || segment === "..";
  // On Windows a trailing dot or space is dropped, and a colon names a stream or a drive; elsewhere
  // they are ordinary.
  const isWindowsOnly = sep === "\\" && (/[. ]$/.test(segment) || segment.includes(":"));
  return !isSpecial && !/[/\\\0]/.test(segment) && !devices.test(segment) && !isWindowsOnly;
}
