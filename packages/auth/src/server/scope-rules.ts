import { isScope } from "@tenon/http/server";

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

/**
 * Rules by URI or by a prefix that ends in `*`. Servers may take dot segments out of a URI, so such
 * a URI has no rule.
 */
export function rulesByUri(
  rules: Readonly<Record<string, ScopeRule<string>>> | undefined,
  option: string,
): FindRule<string> {
  const byUri = checkedRules(rules, option);
  const prefixes = [...byUri.keys()]
    .filter((key) => key.endsWith("*"))
    .map((key) => key.slice(0, -1))
    .sort((one, other) => other.length - one.length);
  return (uri) => {
    if (dotSegment.test(uri)) {
      return undefined;
    }
    const prefix = prefixes.find((candidate) => uri.startsWith(candidate));
    return byUri.get(uri) ?? (prefix === undefined ? undefined : byUri.get(`${prefix}*`));
  };
}

const dotSegment = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|%2f|%5c|$)|%2f|%5c|\\/i;

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
