// RFC 3986 appendix B, each component with its delimiter: put together they are the URI again.
// Query and fragment are one.
const components = /^([^:/?#]+:)?(\/\/[^/?#]*)?([^?#]*)([^]*)$/;

/**
 * Resolves a reference against a base (RFC 3986 §5.2). The base may be empty: then the reference
 * stays relative.
 */
export function resolveUri(base: string, reference: string): string {
  if (reference === "" || reference.startsWith("#")) {
    return withoutFragment(base) + reference;
  }
  const [, scheme = "", authority = "", path = "", rest = ""] = components.exec(reference) ?? [];
  const [, baseScheme = "", baseAuthority = "", basePath = ""] = components.exec(base) ?? [];
  if (scheme !== "" || authority !== "") {
    return (scheme || baseScheme) + authority + withoutDots(path) + rest;
  }
  let full = basePath;
  if (path.startsWith("/")) {
    full = withoutDots(path);
  } else if (path !== "") {
    const folder = baseAuthority !== "" && basePath === "" ? "/" : basePath.replace(/[^/]*$/, "");
    full = withoutDots(folder + path);
  }
  return baseScheme + baseAuthority + full + rest;
}

// RFC 3986 §5.2.4
function withoutDots(path: string): string {
  const out: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === ".." && out.length > (out[0] === "" ? 1 : 0)) {
      out.pop();
    }
    if (segment !== ".." && segment !== ".") {
      out.push(segment);
    }
  }
  if (/(?:^|\/)\.\.?$/.test(path)) {
    out.push("");
  }
  return out.join("/");
}

/** The part before `#`. */
export function withoutFragment(uri: string): string {
  const hash = uri.indexOf("#");
  return hash < 0 ? uri : uri.slice(0, hash);
}

/** The parts before and after `#`; the fragment is still percent-encoded. */
export function splitFragment(uri: string): [uri: string, fragment: string] {
  const base = withoutFragment(uri);
  return [base, uri.slice(base.length + 1)];
}
