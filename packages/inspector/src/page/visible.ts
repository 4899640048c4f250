import { options, type VNode } from "preact";

/**
 * Characters that change or hide other characters: controls, directions, line separators, and
 * characters without a width that no script of people needs.
 */
const unsafe =
  /(?![\t\n\r])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Nearly all texts have no other characters, and this takes a third of the time. */
const plain = /^[\t\n\r -~]*$/;

/** Text of others in which such characters are shown as escapes, for example `\u202e`. */
export function visible(text: string): string {
  if (plain.test(text)) {
    return text;
  }
  return text.replace(unsafe, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** Attributes that contain text for people. Values of fields are not changed: they are sent. */
const readAttributes = ["title", "aria-label", "placeholder"] as const;

/**
 * Has every text that the page draws pass {@link visible}, so that no view can forget it. Text of a
 * server could otherwise appear in another order than it is sent.
 */
export function showInvisible(): void {
  const before = options.vnode;
  options.vnode = (node: VNode) => {
    const { type, props } = node as { type: unknown; props: unknown };
    if (type === null && typeof props === "string") {
      (node as { props: unknown }).props = visible(props);
    } else if (typeof type === "string") {
      const attributes = props as Record<string, unknown>;
      for (const name of readAttributes) {
        const { [name]: text } = attributes;
        if (typeof text === "string") {
          attributes[name] = visible(text);
        }
      }
    }
    before?.(node);
  };
}
