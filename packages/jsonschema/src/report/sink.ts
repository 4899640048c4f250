import type { ValidationIssue } from "../validator.ts";

/** Collects issues up to a maximum. */
export interface Sink {
  readonly issues: ValidationIssue[];
  readonly max: number;
}

/** Where an evaluation stands: path through the schema and path through the instance, as JSON Pointers. */
export type Reporter = (value: unknown, keywordPath: string, instancePath: string, sink: Sink) => void;

/** Adds one issue unless the sink is full. */
export function addIssue(
  sink: Sink,
  keyword: string,
  absolute: string,
  keywordLocation: string,
  instanceLocation: string,
  expected: unknown,
  received: unknown,
  message: string,
): void {
  if (sink.issues.length >= sink.max) return;
  sink.issues.push({
    instanceLocation,
    keywordLocation,
    absoluteKeywordLocation: absolute,
    keyword,
    params: { expected, received },
    message,
  });
}
