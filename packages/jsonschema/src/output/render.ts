import type { OutputFormat, OutputUnit } from "../validator.ts";
import type { Evaluation } from "./evaluate.ts";

/** Renders an evaluation in one of the standard formats (core §12.4). */
export function renderOutput(root: Evaluation, format: OutputFormat): OutputUnit {
  switch (format) {
    case "flag":
      return { valid: root.valid };
    case "basic":
      return basic(root);
    case "detailed":
      return detailed(root, root.valid) ?? place(root);
    default:
      return verbose(root);
  }
}

function place(unit: Evaluation): OutputUnit {
  return {
    valid: unit.valid,
    keywordLocation: unit.keywordLocation,
    absoluteKeywordLocation: unit.absoluteKeywordLocation,
    instanceLocation: unit.instanceLocation,
    ...(unit.valid || unit.error === undefined ? {} : { error: unit.error }),
    ...(unit.valid && unit.annotation !== undefined ? { annotation: unit.annotation } : {}),
  };
}

// A passed keyword's children can be failures that do not matter (an `anyOf` branch), and a failed
// schema drops annotations.
function basic(root: Evaluation): OutputUnit {
  const out: OutputUnit[] = [];
  const visit = (unit: Evaluation): void => {
    if (unit.valid !== root.valid) {
      return;
    }
    if (!root.valid || unit.annotation !== undefined) {
      out.push(place(unit));
    }
    for (const child of unit.children) {
      visit(child);
    }
  };
  visit(root);
  return root.valid ? { valid: true, annotations: out } : { valid: false, errors: out };
}

function detailed(unit: Evaluation, valid: boolean): OutputUnit | undefined {
  if (unit.valid !== valid) {
    return undefined;
  }
  const children = unit.children.flatMap((child) => detailed(child, valid) ?? []);
  // A failed schema has no annotations.
  const annotated = valid && unit.annotation !== undefined;
  if (children.length === 1 && !annotated && children[0] !== undefined) {
    return children[0];
  }
  if (children.length === 0 && valid && !annotated) {
    return undefined;
  }
  const { error: _summary, ...own } = place(unit);
  if (children.length === 0) {
    return place(unit);
  }
  return valid ? { ...own, annotations: children } : { ...own, errors: children };
}

function verbose(unit: Evaluation): OutputUnit {
  const children = unit.children.map(verbose);
  const own = place(unit);
  if (children.length === 0) {
    return own;
  }
  return unit.valid ? { ...own, annotations: children } : { ...own, errors: children };
}
