/**
 * The effect of a change on programs that use the server. `"breaking"`: a call that was valid, or a
 * program that reads a result, may fail. `"additive"`: the server offers more, or promises more.
 * `"cosmetic"`: only descriptions, titles and icons changed.
 */
export type ChangeEffect = "breaking" | "additive" | "cosmetic";

/** One difference between two states of a server's definitions. Plain JSON. */
export interface DefinitionChange {
  readonly effect: ChangeEffect;
  /** The kind of definition. */
  readonly kind: "tool" | "prompt" | "resource" | "resource template";
  /** The name of the tool or prompt, the URI of the resource, or the URI template. */
  readonly name: string;
  /**
   * A JSON pointer into the definition, such as `/inputSchema/properties/limit/maximum`. Empty if
   * the whole definition was added or removed.
   */
  readonly path: string;
  /** A sentence for people, such as `maximum changed from 100 to 50.` */
  readonly message: string;
}

/** A change before the definition that it belongs to is known. */
export type Difference = Pick<DefinitionChange, "effect" | "path" | "message">;

/** A value as text in a message: JSON of at most 80 characters. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** The JSON pointer of a property or an item. */
export function below(path: string, name: string | number): string {
  return `${path}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Whether two JSON values are equal. The order of properties does not matter. */
export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) {
    return true;
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return false;
  }
  const names = Object.keys(left);
  return (
    Array.isArray(left) === Array.isArray(right) &&
    names.length === Object.keys(right).length &&
    names.every(
      (name) =>
        Object.hasOwn(right, name) &&
        isEqual((left as Record<string, unknown>)[name], (right as Record<string, unknown>)[name]),
    )
  );
}
