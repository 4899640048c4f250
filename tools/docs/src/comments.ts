import ts from "typescript-6";

/** The text of the comments in front of a declaration, on one line. */
export function commentOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "")
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Links of comments lead nowhere in a page. */
export function plain(text: string): string {
  return text
    .replaceAll(/\{@link [^}|]+\| ?([^}]+)\}/g, "$1")
    .replaceAll(/\{@link ([^}\s]+)\}/g, "`$1`")
    .replaceAll("|", "\\|");
}
