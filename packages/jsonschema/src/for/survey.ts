import type { Class } from "../standard/class.ts";
import { fieldsOf } from "./metadata.ts";
import type { FieldSpec } from "./shape.ts";

/** Which classes a class or a description leads to. */
export interface Survey {
  /** Classes that contain themselves, at whatever distance. */
  readonly recursive: ReadonlySet<Class>;
  /** Classes that are used in more than one place, and recursive ones. */
  readonly reused: ReadonlySet<Class>;
}

/** Visits every class that can be reached, each once, and none of `except`. */
export function surveyClasses(start: Class | FieldSpec, except?: ReadonlyMap<Class, unknown>): Survey {
  const recursive = new Set<Class>();
  const reused = new Set<Class>();
  const seen = new Set<Class>();
  const open = new Set<Class>();

  function visitClass(target: Class): void {
    if (except?.has(target) === true) {
      return;
    }
    if (open.has(target)) {
      recursive.add(target);
      reused.add(target);
    } else if (seen.has(target)) {
      reused.add(target);
    }
    if (seen.has(target)) {
      return;
    }
    seen.add(target);
    open.add(target);
    for (const { spec } of fieldsOf(target)) {
      visitSpec(spec);
    }
    open.delete(target);
  }

  function visitSpec({ shape }: FieldSpec): void {
    if (shape.kind === "class") {
      visitClass(shape.resolve());
    } else if (shape.kind === "array") {
      visitSpec(shape.items);
    } else if (shape.kind === "map") {
      visitSpec(shape.values);
    } else if (shape.kind === "union") {
      shape.branches.forEach(visitSpec);
    }
  }

  if (typeof start === "function") {
    visitClass(start);
  } else {
    visitSpec(start);
  }
  return { recursive, reused };
}
