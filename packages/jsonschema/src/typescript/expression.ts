/** How strongly the parts of a type expression hold together; the weakest first. */
const unionLevel = 0;
const intersectionLevel = 1;
const atomLevel = 2;

/** The text of a TypeScript type. */
export interface Expression {
  readonly text: string;
  readonly level: number;
}

/** A type that needs no parentheses anywhere. */
export function atom(text: string): Expression {
  return { text, level: atomLevel };
}

/** The type of every value. */
export const unknownType: Expression = atom("unknown");

/** The type without values. */
export const neverType: Expression = atom("never");

/** Returns whether a type allows every value. */
export function isUnknown({ text }: Expression): boolean {
  return text === unknownType.text;
}

/** Returns the type of the values of any of the types. */
export function union(types: readonly Expression[]): Expression {
  return types.some(isUnknown) ? unknownType : joined(types, neverType, " | ", unionLevel);
}

/** Returns the type of the values of all the types. */
export function intersection(types: readonly Expression[]): Expression {
  const narrowing = types.filter((type) => !isUnknown(type));
  return joined(narrowing, unknownType, " & ", intersectionLevel);
}

/** Returns the type of arrays whose items have a type. */
export function arrayOf(item: Expression): Expression {
  return atom(`${within(item, atomLevel)}[]`);
}

function joined(types: readonly Expression[], empty: Expression, sign: string, level: number): Expression {
  const known = new Map(types.filter(({ text }) => text !== empty.text).map((type) => [type.text, type]));
  const different = [...known.values()];
  const [only = empty] = different;
  return different.length < 2
    ? only
    : { text: different.map((type) => within(type, level)).join(sign), level };
}

function within({ text, level }: Expression, outer: number): string {
  return level < outer ? `(${text})` : text;
}

/** Moves all lines but the first to the right. */
export function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}
