/** A URI reference in the five components of RFC 3986 §3; absent ones are `undefined`. */
interface Components {
  scheme: string | undefined;
  authority: string | undefined;
  path: string;
  query: string | undefined;
  fragment: string | undefined;
}

// RFC 3986 appendix B
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/;

function parse(uri: string): Components {
  const [, scheme, authority, path = "", query, fragment] = PARTS.exec(uri) ?? [];
  return { scheme, authority, path, query, fragment };
}

/** Resolves a reference against a base (RFC 3986 §5.2). The base may be empty: then the reference stays relative. */
export function resolveUri(base: string, reference: string): string {
  if (reference === "") return withoutFragment(base);
  if (reference.startsWith("#")) return withoutFragment(base) + reference;
  const r = parse(reference);
  if (r.scheme !== undefined) return format({ ...r, path: removeDots(r.path) });
  const b = parse(base);
  if (r.authority !== undefined) return format({ ...r, scheme: b.scheme, path: removeDots(r.path) });
  let path = b.path;
  let query = b.query;
  if (r.path !== "") {
    query = r.query;
    if (r.path.startsWith("/")) path = removeDots(r.path);
    else if (b.authority !== undefined && b.path === "") path = removeDots(`/${r.path}`);
    else path = removeDots(b.path.slice(0, b.path.lastIndexOf("/") + 1) + r.path);
  } else if (r.query !== undefined) query = r.query;
  return format({ scheme: b.scheme, authority: b.authority, path, query, fragment: r.fragment });
}

function format({ scheme, authority, path, query, fragment }: Components): string {
  return (
    (scheme === undefined ? "" : `${scheme}:`) +
    (authority === undefined ? "" : `//${authority}`) +
    path +
    (query === undefined ? "" : `?${query}`) +
    (fragment === undefined ? "" : `#${fragment}`)
  );
}

// RFC 3986 §5.2.4
function removeDots(path: string): string {
  if (!path.includes(".")) return path;
  const out: string[] = [];
  const segments = path.split("/");
  for (const [i, segment] of segments.entries()) {
    const last = i === segments.length - 1;
    if (segment === ".." || segment === ".") {
      if (segment === ".." && (out.length > 1 || (out.length === 1 && out[0] !== ""))) out.pop();
      if (last) out.push("");
    } else out.push(segment);
  }
  return out.join("/");
}

/** The part before `#`. */
export function withoutFragment(uri: string): string {
  const hash = uri.indexOf("#");
  return hash < 0 ? uri : uri.slice(0, hash);
}

/** The part after `#`, still percent-encoded; `""` if there is none. */
export function fragmentOf(uri: string): string {
  const hash = uri.indexOf("#");
  return hash < 0 ? "" : uri.slice(hash + 1);
}
