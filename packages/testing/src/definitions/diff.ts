import { isRecord } from "@tenon/base";

import {
  below,
  isEqual,
  quoted,
  type ChangeEffect,
  type DefinitionChange,
  type Difference,
} from "./change.ts";
import type { Definitions } from "./collect.ts";
import { diffSchemas } from "./schema-diff.ts";

type Definition = Readonly<Record<string, unknown>>;
type Compare = (before: Definition, after: Definition) => Difference[];

const cosmetic = new Set(["description", "icons", "title"]);
const order: readonly ChangeEffect[] = ["breaking", "additive", "cosmetic"];

/** The safety hints of tools, with the value that promises more than its absence. */
const promises: readonly (readonly [hint: string, value: boolean, promise: string])[] = [
  ["readOnlyHint", true, "changes nothing"],
  ["destructiveHint", false, "destroys nothing"],
  ["idempotentHint", true, "can be repeated"],
  ["openWorldHint", false, "stays within a closed world"],
];

/**
 * Compares the definitions of a server with earlier definitions. Breaking changes are first, and
 * lost safety hints of tools are first among these. Otherwise the order is that of the definitions.
 *
 * @returns An empty list if nothing changed.
 */
export function diffDefinitions(before: Definitions, after: Definitions): DefinitionChange[] {
  const changes = [
    ...diffList("tool", before.tools, after.tools, "name", diffTool),
    ...diffList("prompt", before.prompts, after.prompts, "name", diffPrompt),
    ...diffList("resource", before.resources, after.resources, "uri", diffRest),
    ...diffList(
      "resource template",
      before.resourceTemplates,
      after.resourceTemplates,
      "uriTemplate",
      diffRest,
    ),
  ];
  return changes.toSorted((left, right) => rankOf(left) - rankOf(right));
}

function rankOf({ effect, path }: DefinitionChange): number {
  const rank = 2 * order.indexOf(effect);
  return path.startsWith("/annotations/") ? rank : rank + 1;
}

function diffList(
  kind: DefinitionChange["kind"],
  before: readonly object[],
  after: readonly object[],
  key: string,
  compare: Compare,
): DefinitionChange[] {
  const [old, now] = [byKey(before, key), byKey(after, key)];
  const changes: DefinitionChange[] = [];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    if (was === undefined || is === undefined) {
      const effect = is === undefined ? "breaking" : "additive";
      const message = `The ${kind} was ${is === undefined ? "removed" : "added"}.`;
      changes.push({ effect, kind, name, path: "", message });
    } else {
      changes.push(...compare(was, is).map((difference) => ({ kind, name, ...difference })));
    }
  }
  return changes;
}

function byKey(list: readonly object[], key: string): Map<string, Definition> {
  return new Map((list as readonly Definition[]).map((one) => [String(one[key]), one]));
}

function diffTool(before: Definition, after: Definition): Difference[] {
  return [
    ...diffHints(before["annotations"], after["annotations"]),
    ...diffSchemas(before["inputSchema"], after["inputSchema"], "/inputSchema", "input"),
    ...diffOutput(before["outputSchema"], after["outputSchema"]),
    ...diffRest(before, after, ["annotations", "inputSchema", "outputSchema"]),
  ];
}

function diffHints(before: unknown, after: unknown): Difference[] {
  const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  const hints = promises.flatMap(([hint, value, promise]): Difference[] => {
    const [was, is] = [old[hint] === value, now[hint] === value];
    const path = below("/annotations", hint);
    return was === is
      ? []
      : [
          is
            ? { effect: "additive", path, message: `The tool now promises that it ${promise}.` }
            : { effect: "breaking", path, message: `The tool no longer promises that it ${promise}.` },
        ];
  });
  const rest = diffRest(
    old,
    now,
    promises.map(([hint]) => hint),
  );
  return [...hints, ...rest.map((one) => ({ ...one, path: `/annotations${one.path}` }))];
}

function diffOutput(before: unknown, after: unknown): Difference[] {
  const path = "/outputSchema";
  if (before === undefined || after === undefined) {
    return before === after
      ? []
      : [
          before === undefined
            ? { effect: "additive", path, message: "The output schema was added." }
            : { effect: "breaking", path, message: "The output schema was removed." },
        ];
  }
  return diffSchemas(before, after, path, "output");
}

function diffPrompt(before: Definition, after: Definition): Difference[] {
  const [old, now] = [argumentsOf(before), argumentsOf(after)];
  const names = new Set([...old.keys(), ...now.keys()]);
  const differences = [...names].flatMap((name): Difference[] => {
    const [was, is] = [old.get(name), now.get(name)];
    const path = below("/arguments", name);
    if (is === undefined) {
      return [{ effect: "breaking", path, message: "The argument was removed." }];
    }
    const isRequired = is["required"] === true;
    if (was === undefined) {
      const added = isRequired ? "Added as a required argument." : "The argument was added.";
      return [{ effect: isRequired ? "breaking" : "additive", path, message: added }];
    }
    const required: Difference[] =
      (was["required"] === true) === isRequired
        ? []
        : [
            isRequired
              ? { effect: "breaking", path, message: "The argument became required." }
              : { effect: "additive", path, message: "Required before, optional now." },
          ];
    const rest = diffRest(was, is, ["required"]).map((one) => ({ ...one, path: `${path}${one.path}` }));
    return [...required, ...rest];
  });
  return [...differences, ...diffRest(before, after, ["arguments"])];
}

function argumentsOf(prompt: Definition): Map<string, Definition> {
  const list = prompt["arguments"];
  return byKey(Array.isArray(list) ? list.filter(isRecord) : [], "name");
}

/** Compares all properties but the named ones. A media type is breaking; a title is not. */
function diffRest(before: Definition, after: Definition, except: readonly string[] = []): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !except.includes(name) && name !== "_meta" && !isEqual(before[name], after[name]))
    .map((name) => {
      const effect = cosmetic.has(name) ? "cosmetic" : name === "mimeType" ? "breaking" : "additive";
      const message = `Changed from ${quoted(before[name])} to ${quoted(after[name])}.`;
      return { effect, path: below("", name), message };
    });
}
