import { isScope } from "@tenon/http/server";
import { canonicalPrefix } from "@tenon/uri-template/canonical-parts";
import { canonicalUri } from "@tenon/uri-template/core";

/** Scopes, or a function that returns the scopes for given arguments. */
export type ScopeRule<A> = readonly string[] | ((asked: A) => readonly string[]);

/** Finds the rule for a name; `undefined` if there is none. */
export type FindRule<A> = (name: string) => ScopeRule<A> | undefined;

/** Rules by name. @throws `TypeError` for a rule that is neither scopes nor a function. */
export function rulesByName<A>(
  rules: Readonly<Record<string, ScopeRule<A>>> | undefined,
  option: string,
): FindRule<A> {
  const byName = checkedRules(rules, option);
  return (name) => byName.get(name);
}

/** The rules that count for a URI together. `undefined` is the default, if the URI has no entry. */
export type FindRules = (uri: string) => readonly (ScopeRule<string> | undefined)[];

/**
 * Rules by URI or by a prefix that ends in `*`: the longest prefix counts. They are found by the
 * meaning of a URI. Several spellings may have one meaning to the code that uses
 * the URI:
 *
 * - URIs are compared in canonical form.
 * - An entry for a URI without a query counts with any query or fragment, and code that works with
 *   paths ignores empty segments: the entries of these readings count, too.
 * - Code may decode `%2F` and `%5C` to slashes and then resolve `..`: a URI with one of these has
 *   no entry, nor has a URI whose dot segments were not resolved before.
 *
 * @throws `TypeError` for an entry without a canonical form.
 */
export function rulesByUri(
  rules: Readonly<Record<string, ScopeRule<string>>> | undefined,
  option: string,
): FindRules {
  const exact = new Map<string, ScopeRule<string>>();
  const byPrefix: (readonly [prefix: string, rule: ScopeRule<string>])[] = [];
  for (const [key, rule] of checkedRules(rules, option)) {
    if (key.endsWith("*")) {
      byPrefix.push([canonicalEntry(key.slice(0, -1), option, canonicalPrefix), rule]);
    } else {
      exact.set(canonicalEntry(key, option, canonicalUri), rule);
    }
  }
  byPrefix.sort(([one], [other]) => other.length - one.length);
  const find = (uri: string): ScopeRule<string> | undefined =>
    exact.get(uri) ?? byPrefix.find(([prefix]) => uri.startsWith(prefix))?.[1];
  return (written) => {
    const uri = canonicalOf(written);
    if (uri === undefined || ambiguous.test(written)) {
      return [undefined];
    }
    const own = find(uri);
    const others = exact.has(uri)
      ? []
      : readingsOf(uri)
          .map(find)
          .filter((rule) => rule !== undefined);
    return [...new Set([own, ...others])];
  };
}

/** Dot segments, and slashes in disguise. */
const ambiguous = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|%2f|%5c|$)|%2f|%5c|\\/i;

/** The canonical form of a URI; `undefined` if it has none. */
export function canonicalOf(uri: string): string | undefined {
  try {
    return canonicalUri(uri);
  } catch {
    return undefined;
  }
}

/** A URI without its fragment and query, and without empty segments. */
function readingsOf(uri: string): readonly string[] {
  const path = uri.replace(/(?:[?#]|%3F|%23)[^]*$/, "");
  const start = /^[a-z0-9+.-]*:(?:\/\/)?/.exec(path)?.[0] ?? "";
  const joined = start + path.slice(start.length).replace(/\/{2,}/g, "/");
  return [uri.replace(/#[^]*$/, ""), path, joined, joined.replace(/\/$/, "")].filter((each) => each !== uri);
}

function canonicalEntry(key: string, option: string, canonical: (key: string) => string): string {
  try {
    return canonical(key);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(
      `The entry ${JSON.stringify(key)} of ${option} of scopePolicy is not a URI: ${detail}.`,
      {
        cause,
      },
    );
  }
}

/**
 * The scopes that a rule asks for. @throws `TypeError` if a function returns anything else, such as
 * a promise.
 */
export function scopesOf<A>(rule: ScopeRule<A>, asked: A, name: string): readonly string[] {
  return typeof rule === "function" ? checkedScopes(rule(asked), `The rule of ${name}`) : rule;
}

/** Checks scopes. @throws `TypeError` */
export function checkedScopes(value: unknown, subject: string): readonly string[] {
  if (!Array.isArray(value) || !value.every(isScope)) {
    throw new TypeError(`${subject} must be an array of scopes such as ["notes:read"].`);
  }
  return value;
}

/** A scope and all that it contains, directly or not. */
export function closureOf(
  scopes: readonly string[],
  implied: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const closure = new Set(scopes);
  // A set that grows is iterated to its new end.
  for (const scope of closure) {
    implied.get(scope)?.forEach((contained) => closure.add(contained));
  }
  return closure;
}

function checkedRules<A>(
  rules: Readonly<Record<string, ScopeRule<A>>> | undefined,
  option: string,
): ReadonlyMap<string, ScopeRule<A>> {
  const entries = Object.entries(rules ?? {});
  for (const [name, rule] of entries) {
    if (typeof rule !== "function") {
      checkedScopes(rule, `${option}.${name} of scopePolicy`);
    }
  }
  return new Map(entries);
}
