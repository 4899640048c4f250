import { normalise } from "./encode.ts";
import { UriTemplateError } from "./error.ts";
import { type UriTemplateLimits, enforce } from "./limits.ts";
import { type Operator, operators } from "./operator.ts";

/** A variable inside an expression, with its modifier (RFC 6570 §2.3, §2.4). */
export interface VariableSpec {
  readonly name: string;
  /** `*` was given. */
  readonly explode: boolean;
  /** The length of `:length`, 1 to 9999, or `undefined`. */
  readonly prefix: number | undefined;
}

/** One `{…}` of a template. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly VariableSpec[];
}

/**
 * The parts of a template in order: literal text, verbatim as in the expansion, and expressions.
 */
export type Part = string | Expression;

const notLiteral = /[\p{Cc}\p{Cs} "<>\\^`|}]|%(?![0-9A-Fa-f]{2})/u;
const variableSpec =
  /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(?:(\*)|:([1-9][0-9]{0,3}))?$/;

function malformed(message: string, position: number): UriTemplateError {
  return new UriTemplateError("malformed-template", message, position);
}

function parseLiteral(text: string, position: number): string {
  const bad = notLiteral.exec(text);
  if (bad !== null) {
    throw malformed(
      `Expected literal text of a URI, got ${JSON.stringify(bad[0])}; percent-encode it`,
      position + bad.index,
    );
  }
  return normalise(text);
}

function parseExpression(body: string, position: number): Expression {
  const first = body.charAt(0);
  if (first !== "" && "=,!@|".includes(first)) {
    throw malformed(
      `Expected a variable or one of + # . / ; ? &, got the reserved operator "${first}"`,
      position,
    );
  }
  const operator = (first in operators ? first : "") as Operator;
  let at = position + operator.length;
  const variables = body
    .slice(operator.length)
    .split(",")
    .map((text): VariableSpec => {
      const found = variableSpec.exec(text);
      if (found === null) {
        throw malformed(
          `Expected a variable such as "name", "name*" or "name:3", got ${JSON.stringify(text.slice(0, 40))}`,
          at,
        );
      }
      at += text.length + 1;
      const [, name = "", star, length] = found;
      return {
        name,
        explode: star !== undefined,
        prefix: length === undefined ? undefined : +length,
      };
    });
  return { operator, variables };
}

/**
 * Reads a template (RFC 6570 §2). One pass; work and memory are linear in its length.
 *
 * @throws UriTemplateError `malformed-template` with the position, or `limit-exceeded`.
 */
export function parseParts(template: string, limits: UriTemplateLimits): readonly Part[] {
  enforce(limits, "templateLength", template.length);
  const parts: Part[] = [];
  let count = 0;
  for (let position = 0; position < template.length;) {
    const open = template.indexOf("{", position);
    const end = open < 0 ? template.length : open;
    if (end > position) {
      parts.push(parseLiteral(template.slice(position, end), position));
    }
    if (open < 0) {
      break;
    }
    const close = template.indexOf("}", open);
    if (close < 0) {
      throw malformed('Expected "}" to end the expression', open);
    }
    const expression = parseExpression(template.slice(open + 1, close), open + 1);
    count += expression.variables.length;
    enforce(limits, "variables", count);
    parts.push(expression);
    position = close + 1;
  }
  return parts;
}
