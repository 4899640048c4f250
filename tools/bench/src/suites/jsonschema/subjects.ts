import { eachCall } from "../../loops/each.ts";
import { syncLoop } from "../../loops/sync.ts";
import type { Subject } from "../../runner.ts";
import type { Qualified } from "./qualify.ts";

/** The kinds of work; the name of a work is `kind: case`. */
export type Kind = "valid" | "errors" | "compile";

/** The name of one kind of work on one case. */
export const workName = (kind: Kind, test: string): string => `${kind}: ${test}`;

/** A loop over the instances that counts right answers. */
function over(
  instances: readonly unknown[],
  isRight: (instance: unknown) => boolean,
): (times: number) => number {
  return (times) => {
    let right = 0;
    for (let done = 0, index = 0; done < times; done++) {
      if (isRight(instances[index])) {
        right++;
      }
      index = index + 1 === instances.length ? 0 : index + 1;
    }
    return right;
  };
}

let serial = 0;

/**
 * What is measured of an engine and a case. Instances come from `JSON.parse`, as they do in a
 * server.
 */
export function subjectsOf({ engine, test, is, countErrors }: Qualified, windowMs: number): Subject[] {
  const parsed = (instances: readonly unknown[]): unknown[] =>
    JSON.parse(JSON.stringify(instances)) as unknown[];
  const [first] = parsed(test.valid);
  const subject = (kind: Kind, sample: Subject["sample"]): Subject => ({
    candidate: engine.name,
    work: workName(kind, test.name),
    sample,
  });
  return [
    subject("valid", syncLoop(over(parsed(test.valid), is), { windowMs })),
    subject(
      "errors",
      syncLoop(
        over(parsed(test.invalid), (instance) => countErrors(instance) > 0),
        { windowMs },
      ),
    ),
    subject(
      "compile",
      eachCall(
        // Some libraries remember schemas by their text: each one differs.
        () => ({ ...structuredClone(test.schema), $comment: String(++serial) }),
        (schema) => {
          // With the first validation, because some libraries compile only then.
          const compiled = engine.compile(schema);
          return compiled instanceof Promise ? compiled.then((check) => check(first)) : compiled(first);
        },
        { windowMs },
      ),
    ),
  ];
}
