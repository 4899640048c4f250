import type { ValidationIssue } from "../validator.ts";

/** Collects issues up to a maximum. */
export interface Sink {
  readonly issues: ValidationIssue[];
  readonly max: number;
}

/**
 * Adds the issues of a value. `path` and `at` lead, through the schema and through the instance, to
 * where the reporter's {@link Place} counts from.
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
  const { issues } = sink;
  const { length } = issues;
  if (length >= sink.max) {
    return;
  }
  issues[length] = {
    // Nothing to join is the common case, and asking is quicker than joining.
    instanceLocation: at === "" ? where.instance : at + where.instance,
    keywordLocation: path === "" ? where.location : path + where.location,
    absoluteKeywordLocation: where.absolute,
    keyword: where.keyword,
    params: { expected, received },
    message,
  };
}

/** An issue that does not depend on the value: made once, shared by all reports, hence frozen. */
export function fixedIssue(
  where: KeywordPlace,
  expected: unknown,
  received: unknown,
  message: string,
): ValidationIssue {
  const issues: ValidationIssue[] = [];
  addIssue({ issues, max: 1 }, where, "", "", expected, received, message);
  const [issue] = issues as [ValidationIssue];
  Object.freeze(issue.params);
  return Object.freeze(issue);
}

/** Adds a fixed issue, or a copy for another place, unless the sink is full. */
export function addFixed(sink: Sink, issue: ValidationIssue, path: string, at: string): void {
  const { issues } = sink;
  const { length } = issues;
  if (length >= sink.max) {
    return;
  }
  // Written out: a spread takes several times as long.
  issues[length] =
    path === "" && at === ""
      ? issue
      : {
          instanceLocation: at + issue.instanceLocation,
          keywordLocation: path + issue.keywordLocation,
          absoluteKeywordLocation: issue.absoluteKeywordLocation,
          keyword: issue.keyword,
          params: issue.params,
          message: issue.message,
        };
}
