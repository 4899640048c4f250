import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { availableCommands, commandsWithKeys, dialog, type Command } from "../commands.ts";
import { filterNames } from "../filter.ts";
import { keyLabel } from "../machine.ts";

function close(): void {
  dialog.value = undefined;
}

function Modal({ title, children }: { title: string; children: VNode | VNode[] }): VNode {
  const ref = useRef<HTMLDialogElement>(null);
  // Before the next key, which is for the dialog.
  useLayoutEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog ref={ref} aria-label={title} onClose={close}>
      {children}
    </dialog>
  );
}

function Help(): VNode {
  return (
    <Modal title="Keys">
      <h2>Keys</h2>
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
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Modal>
  );
}

function Palette(): VNode {
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const all = useMemo(availableCommands, []);
  const found = all.filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
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
