/** A word as it can be pasted into a shell: in quotes if it needs them. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./…-]+$/.test(text)) {
    return text;
  }
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
