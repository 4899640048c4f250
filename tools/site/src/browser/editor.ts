import { javascript } from "@codemirror/lang-javascript";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { basicSetup, EditorView } from "codemirror";

/** An editor of a program. */
export interface Editor {
  /** The program. */
  get code(): string;
  set code(code: string);
  /** Removes the editor. */
  close(): void;
}

const colors = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--vp-c-text-2)" },
  { tag: tags.definition(tags.variableName), color: "var(--vp-c-text-1)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--vp-c-brand-1)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", color: "var(--vp-c-text-1)" },
  ".cm-scroller": { fontFamily: "var(--vp-font-family-mono)", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--vp-c-text-1)" },
  ".cm-gutters": { background: "transparent", color: "var(--vp-c-text-2)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "transparent" },
  "&.cm-focused": { outline: "2px solid var(--vp-c-brand-1)", outlineOffset: "-2px" },
  ".cm-cursor": { borderLeftColor: "var(--vp-c-text-1)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--vp-c-brand-soft)" },
});

/**
 * Opens an editor in an element.
 *
 * @param onChange - Called when the program has changed.
 */
export function openEditor(parent: Element, code: string, onChange: () => void): Editor {
  const view = new EditorView({
    parent,
    doc: code,
    extensions: [
      basicSetup,
      javascript(),
      syntaxHighlighting(colors),
      look,
      EditorView.contentAttributes.of({ "aria-label": "Program", tabindex: "0" }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) {
          onChange();
        }
      }),
    ],
  });
  return {
    get code() {
      return view.state.doc.toString();
    },
    set code(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    close: () => view.destroy(),
  };
}
