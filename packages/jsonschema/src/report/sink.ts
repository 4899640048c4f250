import type { ValidationIssue } from "../validator.ts";

/** Collects issues up to a maximum. */
export interface Sink {
  readonly issues: ValidationIssue[];
  readonly max: number;
}

/**
 * Adds the issues of a value. `path` and `at` lead, through the schema and through the instance, to where the
 * reporter's {@link Place} counts from.
 */
export type Reporter = (value: unknown, path: string, at: string, sink: Sink) => void;

/** One keyword's place. */
export interface KeywordPlace {
  readonly keyword: string;
  /** To append to the path through the schema, and to the path through the instance. */
  readonly location: string;
  readonly instance: string;
  readonly absolute: string;
}

/** Adds one issue unless the sink is full. */
export function addIssue(
  sink: Sink,
  where: KeywordPlace,
  path: string,
  at: string,
  expected: unknown,
  received: unknown,
  message: string,
): void {
  if (sink.issues.length >= sink.max) return;
  sink.issues.push({
    instanceLocation: at + where.instance,
    keywordLocation: path + where.location,
    absoluteKeywordLocation: where.absolute,
    keyword: where.keyword,
    params: { expected, received },
    message,
  });
}
