/** The operators of RFC 6570 §2.2; the empty one is simple expansion. */
export type Operator = "" | "+" | "#" | "." | "/" | ";" | "?" | "&";

/** One row of the table in RFC 6570 appendix A. */
export interface OperatorRule {
  /** Written before the first defined variable. */
  readonly first: string;
  /** Written between defined variables. */
  readonly separator: string;
  /** Whether the variable's name is written before its value. */
  readonly named: boolean;
  /** Written after the name of an empty value. */
  readonly ifEmpty: string;
  /** Whether reserved characters and percent-encoded triplets pass unchanged. */
  readonly reserved: boolean;
}

const rule = (
  first: string,
  separator: string,
  named = false,
  ifEmpty = "",
  reserved = false,
): OperatorRule => ({
  first,
  separator,
  named,
  ifEmpty,
  reserved,
});

/** RFC 6570 appendix A. */
export const operators: Readonly<Record<Operator, OperatorRule>> = {
  "": rule("", ","),
  "+": rule("", ",", false, "", true),
  "#": rule("#", ",", false, "", true),
  ".": rule(".", "."),
  "/": rule("/", "/"),
  ";": rule(";", ";", true),
  "?": rule("?", "&", true, "="),
  "&": rule("&", "&", true, "="),
};
