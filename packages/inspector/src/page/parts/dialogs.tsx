import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { commandsWithKeys, dialog, paletteCommands, type Command } from "../commands.ts";
import { filterNames } from "../filter.ts";
import { keyLabel } from "../machine.ts";

function close(): void {
  dialog.value = undefined;
}

/** Browsers close a dialog some time after the key, and the next key would still be for it. */
function closeByKey(event: KeyboardEvent): void {
  if (event.key === "Escape") {
    event.preventDefault();
    close();
  }
}

function Modal({ title, children }: { title: string; children: ComponentChildren }): VNode {
  const ref = useRef<HTMLDialogElement>(null);
  // Before the next key, which is for the dialog.
  useLayoutEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog ref={ref} aria-label={title} onClose={close} onKeyDown={closeByKey}>
      {children}
    </dialog>
  );
}

function Help(): VNode {
  return (
    <Modal title="Keys">
      {/* First, because the focus goes to it and the dialog scrolls to the focus. */}
      <form method="dialog" class="title">
        <h2>Keys</h2>
        <button type="submit">Close</button>
      </form>
      <dl class="keys">
        {commandsWithKeys().map(({ title, keys }) => (
          <div key={title}>
            <dt>
              <kbd>{keyLabel(keys ?? "")}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <h2>Filter</h2>
      <p>
        Words that all have to occur, and the names below. A <code>-</code> in front hides what matches.
      </p>
      <dl class="keys">
        {Object.entries(filterNames).map(([name, meaning]) => (
          <div key={name}>
            <dt>
              <code>{name}:</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

/** How many commands the palette lists. */
const maxFound = 100;

function Palette(): VNode {
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const all = useMemo(paletteCommands, []);
  const found = all
    .filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, maxFound);
  const current = found[Math.min(index, found.length - 1)];
  const run = (command: Command | undefined): void => {
    close();
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") {
      event.preventDefault();
      run(current);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : found.length - 1;
      setIndex((before) => (before + step) % Math.max(1, found.length));
    }
  };
  return (
    <Modal title="Commands">
      <input
        type="text"
        role="combobox"
        aria-label="Search commands"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={current === undefined ? undefined : `command-${found.indexOf(current)}`}
        placeholder="Search commands"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      {found.length === 0 && (
        <p class="dim" role="status">
          No command has “{text}” in its name.
        </p>
      )}
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, at) => (
          <li
            key={command.title}
            id={`command-${at}`}
            role="option"
            aria-selected={command === current}
            onClick={() => run(command)}
          >
            {command.title}
            {command.keys !== undefined && <kbd>{keyLabel(command.keys)}</kbd>}
          </li>
        ))}
      </ul>
    </Modal>
  );
}

/** The dialog that is open, if any. */
export function Dialogs(): VNode | null {
  return dialog.value === "help" ? <Help /> : dialog.value === "palette" ? <Palette /> : null;
}
