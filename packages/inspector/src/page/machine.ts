/** Whether the keyboard of this machine has a key ⌘. */
const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? "");

const names: Readonly<Record<string, string>> = {
  mod: isMac ? "⌘" : "Ctrl",
  Enter: isMac ? "↵" : "Enter",
  ArrowDown: "↓",
  ArrowUp: "↑",
  Escape: "Esc",
};

/** The keys of a command as they are printed on the keyboard of this machine. */
export function keyLabel(keys: string): string {
  return keys
    .split(" / ")
    .map((one) =>
      one
        .split("+")
        .map((key) => names[key] ?? (one.includes("+") ? key.toUpperCase() : key))
        .join(isMac ? "" : "+"),
    )
    .join(" / ");
}
