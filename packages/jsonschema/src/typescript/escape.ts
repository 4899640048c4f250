/**
 * Characters that are not shown as they are: controls, invisible ones and those that change the
 * direction of text. An author could hide code with them.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Returns a JSON value as an expression on one line. It shows every hidden character as an escape.
 */
export function literal(value: unknown): string {
  const text = JSON.stringify(value).replace(hidden, (char) =>
    Array.from({ length: char.length }, (_, index) => escaped(char.charCodeAt(index))).join(""),
  );
  // As it is, this name would set the prototype. Inside a string its quotes are escaped.
  return text.replaceAll('"__proto__":', '["__proto__"]:');
}

/** Returns the name of a property, quoted if it is not an identifier. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** Returns text for a comment, on one line: it cannot end the comment. */
export function commentLine(text: string): string {
  return text.replace(hidden, " ").replaceAll("*/", "*\\/").trim();
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
