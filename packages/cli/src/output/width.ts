import { ownStyles } from "./color.ts";

// eslint-disable-next-line no-control-regex -- styles of a terminal
const terminalStyles = /\u001b\[\d+m/g;
/** Characters that take two columns: East Asian wide ones and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const zero = /^(?:\p{Mn}|\p{Me}|\u200b|\u200c|\u200d)+$/u;
const segmenter = new Intl.Segmenter();

/** The number of columns that a line takes on a terminal. Styles take none. */
export function widthOf(text: string): number {
  const plain = text.replace(ownStyles, "").replace(terminalStyles, "");
  if (/^[\x20-\x7e]*$/.test(plain)) {
    return plain.length;
  }
  let width = 0;
  for (const { segment } of segmenter.segment(plain)) {
    width += zero.test(segment) ? 0 : wide.test(segment) ? 2 : 1;
  }
  return width;
}

/** The text without styles, cut to `columns`, with an ellipsis if something is missing. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) {
    return text;
  }
  let cut = "";
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) {
      break;
    }
    cut += segment;
  }
  return `${cut}…`;
}

/** Breaks lines between words so that each line has at most `columns`. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(/ +/)) {
      if (line !== "" && widthOf(line) + 1 + widthOf(word) > columns) {
        lines.push(line);
        line = word;
      } else {
        line = line === "" ? word : `${line} ${word}`;
      }
    }
    return [...lines, line];
  });
}
