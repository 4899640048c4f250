import type { Paging } from "../options.ts";
import { delimiters } from "../request/serialize.ts";
import type { InputPlan } from "../schema/input.ts";
import { typedText, type Accepts } from "../schema/typed-text.ts";

/** The arguments of an operation, and where it names its next page. */
export interface Paged {
  readonly plan: InputPlan;
  readonly paging: Paging | undefined;
  readonly accepts: Accepts;
}

/**
 * The arguments of the next page, by the header `Link` or by the response; `undefined` if there is
 * none.
 *
 * @param url - The URL of the request. The link may have another path to its resource, as in
 *   GitHub, but must have the same last segment: arguments cannot lead to another path.
 * @source RFC 8288
 */
export function nextPage(
  headers: Headers,
  url: URL,
  { plan, paging, accepts }: Paged,
  structured: unknown,
): Record<string, unknown> | undefined {
  if (paging !== undefined) {
    const value = pointed(structured, paging.next);
    if (typeof value !== "number" && (typeof value !== "string" || value === "")) {
      return undefined;
    }
    const { argument } = paging;
    // Some APIs name a page by a string of digits, and take a number, or the other way round.
    const mayHave = (each: unknown): boolean => accepts(argument, each);
    return { [argument]: mayHave(value) ? value : typedText([String(value)], undefined, mayHave) };
  }
  const target = linkTo("next", headers.get("link") ?? "");
  if (target === undefined || !URL.canParse(target, url.href)) {
    return undefined;
  }
  const next = new URL(target, url);
  if (next.origin !== url.origin || lastSegment(next) !== lastSegment(url)) {
    return undefined;
  }
  const changed = [...new Set(next.searchParams.keys())]
    .map((name) => ({ name, values: next.searchParams.getAll(name) }))
    .filter(({ name, values }) => !isSame(values, url.searchParams.getAll(name)));
  const found = changed.flatMap(({ name, values }): [string, unknown][] => {
    const entry = plan.parameters.find(
      ({ parameter }) => parameter.place === "query" && parameter.name === name,
    );
    if (entry === undefined) {
      return [];
    }
    const { argument, parameter } = entry;
    const delimiter = parameter.explode ? undefined : (delimiters[parameter.style] ?? ",");
    return [[argument, typedText(values, delimiter, (value) => accepts(argument, value))]];
  });
  return found.length === 0 || found.length < changed.length ? undefined : Object.fromEntries(found);
}

function lastSegment({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf("/"));
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((value, index) => value === others[index]);
}

/** The target of the first link with a relation. */
function linkTo(relation: string, header: string): string | undefined {
  for (const [, target, parameters = ""] of header.slice(0, 8192).matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    if ((quoted ?? bare ?? "").toLowerCase().split(/\s+/).includes(relation)) {
      return target;
    }
  }
  return undefined;
}

/** The value at a JSON pointer. */
function pointed(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((current, part) => {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof current === "object" && current !== null && Object.hasOwn(current, key)
        ? (current as Record<string, unknown>)[key]
        : undefined;
    }, value);
}
