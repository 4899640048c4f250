import { comparable } from "./encode.ts";
import { type Hole, type Step, setOf } from "./locate.ts";
import { type Operator, operators } from "./operator.ts";
import type { Expression, Part, VariableSpec } from "./syntax.ts";

/** The conversion of a hole's text to variables. */
export type Binding =
  | { readonly kind: "one"; readonly spec: VariableSpec; readonly separator: string }
  | { readonly kind: "pairs"; readonly specs: readonly VariableSpec[]; readonly separator: string };

/** A template prepared for matching; `bindings[i]` belongs to the hole `steps[i]`. */
export interface Plan {
  /** The literal that it begins with. */
  readonly head: string;
  /** The literal that it ends with. */
  readonly tail: string;
  /** The parts between the operators. */
  readonly steps: readonly Step[];
  readonly bindings: readonly (Binding | undefined)[];
}

/**
 * Reserved values stop where a later query or fragment expression has to begin (RFC 3986 §3.4,
 * §3.5).
 */
function reservedExcludes(later: readonly Part[]): number {
  const operators = later.map((part) => (typeof part === "string" ? "" : part.operator));
  return setOf(operators.filter((operator) => "?#".includes(operator)).join(""));
}

function excludesOf(operator: Operator, spec: VariableSpec, later: readonly Part[]): number {
  if (operators[operator].reserved) {
    return reservedExcludes(later);
  }
  return setOf(operator === "/" && spec.explode ? "?#" : "/?#");
}

/** `{?a}{&b}` and `{;a}{;b}` are one list of parameters, so that their order is free. */
function isContinued(before: Operator, next: Operator): boolean {
  return operators[before].named && operators[before].separator === operators[next].separator;
}

/** The steps by which a URI is compared with the template. */
export function plan(written: readonly Part[]): Plan {
  const template = written.map((part) => (typeof part === "string" ? comparable(part) : part));
  const [head] = template;
  const tail = template.length > 1 ? template.at(-1) : undefined;
  const parts = template.slice(typeof head === "string" ? 1 : 0, typeof tail === "string" ? -1 : undefined);
  const steps: Step[] = [];
  const bindings: (Binding | undefined)[] = [];
  const add = (hole: Hole, binding: Binding): void => {
    bindings[steps.length] = binding;
    steps.push(hole);
  };

  const addNamed = (expressions: readonly Expression[], separator: string): void => {
    const leads = setOf(expressions.map(({ operator }) => operator).join(""));
    const excludes = setOf(separator === ";" ? "/?#" : "#");
    const specs = expressions.flatMap(({ variables }) => variables);
    add({ leads, excludes, skipTo: steps.length + 1 }, { kind: "pairs", specs, separator });
  };

  const addPositional = ({ operator, variables }: Expression, later: readonly Part[]): void => {
    const { first, separator } = operators[operator];
    const after = steps.length + variables.length;
    variables.forEach((spec, index) => {
      const leads = setOf(index === 0 ? first : separator);
      add(
        { leads, excludes: excludesOf(operator, spec, later), skipTo: after },
        { kind: "one", spec, separator },
      );
    });
  };

  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? "";
    if (typeof part === "string") {
      steps.push(part);
    } else if (operators[part.operator].named) {
      const group = [part];
      for (let next = parts[index + 1]; typeof next === "object"; next = parts[index + 1]) {
        if (!isContinued(part.operator, next.operator)) {
          break;
        }
        group.push(next);
        index++;
      }
      addNamed(group, operators[part.operator].separator);
    } else {
      addPositional(part, parts.slice(index + 1));
    }
  }
  const literal = (part: Part | undefined): string => (typeof part === "string" ? part : "");
  return { head: literal(head), tail: literal(tail), steps, bindings };
}
