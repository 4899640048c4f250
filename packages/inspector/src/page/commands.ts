import { signal, type Signal } from "@preact/signals";

/** Something that the person can do by a key, or by the palette. */
export interface Command {
  readonly title: string;
  /** As shown: `j`, `mod+k`, `?`. Absent for commands of the palette only. */
  readonly keys?: string | undefined;
  /** Whether the command makes sense now. Default: always. */
  readonly when?: (() => boolean) | undefined;
  /** Whether the page has what the command is about. The list of keys leaves it out otherwise. */
  readonly exists?: (() => boolean) | undefined;
  readonly run: () => void;
}

/** The dialog that is open: the palette or the list of keys. */
export const dialog: Signal<"palette" | "help" | undefined> = signal(undefined);

const commands: Command[] = [];
const sources: (() => readonly Command[])[] = [];

/** Adds commands. Those that were added last come first for a key. */
export function addCommands(...added: readonly Command[]): void {
  commands.unshift(...added);
}

/** Adds commands of the palette that are made when it opens. */
export function addCommandSource(source: () => readonly Command[]): void {
  sources.push(source);
}

/** The commands that make sense now. */
export function availableCommands(): readonly Command[] {
  return commands.filter(({ when, exists }) => when?.() !== false && exists?.() !== false);
}

/** The commands of the palette. */
export function paletteCommands(): readonly Command[] {
  return [...availableCommands(), ...sources.flatMap((source) => source())];
}

/** All commands that have keys. */
export function commandsWithKeys(): readonly Command[] {
  return commands.filter(({ keys, exists }) => keys !== undefined && exists?.() !== false);
}

/** Runs the command of a key, unless the person is typing. */
export function handleKey(event: KeyboardEvent): void {
  const mod = event.ctrlKey || event.metaKey;
  if (event.altKey || event.isComposing || event.defaultPrevented) {
    return;
  }
  const keys = `${mod ? "mod+" : ""}${event.key === " " ? "space" : event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
  const shown = event.key === "?" ? "?" : keys;
  if (dialog.peek() !== undefined) {
    return;
  }
  const isTyping =
    event.target instanceof HTMLElement &&
    (event.target.matches("input, textarea, select") || event.target.isContentEditable);
  if (isTyping && !mod) {
    if (event.key === "Escape") {
      event.preventDefault();
      leave(event.target);
    }
    return;
  }
  const command = availableCommands().find((one) => one.keys?.split(" / ").includes(shown) === true);
  if (command !== undefined) {
    event.preventDefault();
    command.run();
  }
}

/** Empties a search field and tells its component. Leaves any other field, and an empty one. */
function leave(field: HTMLElement): void {
  if (field instanceof HTMLInputElement && field.type === "search" && field.value !== "") {
    field.value = "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  } else {
    field.blur();
  }
}
