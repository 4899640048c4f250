/** Characters that control a terminal, change the direction of text, or set foreign styles. */
const own = String.raw`(?!\u001b\[(?:1|2|22|31|32|33|36|39)m|\u001b\[K|\r\u001b\[K)`;
const controls = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]`;

/** Finds a character that would control a terminal. */
export const obeyed = new RegExp(own + controls, "u");

/** A text that tries to control a terminal, to hide, and to forge lines. */
export const hostileText =
  "x\u001b]0;owned\u0007\u001b[2J\u202egnol\u2066\u009b31m\r\nforged line\n\u001b[8mhidden";
