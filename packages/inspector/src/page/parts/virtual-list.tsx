import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Summary } from "../../wire/summary.ts";
import { indexOfSeq } from "../seq-index.ts";

/** How many rows are drawn above and below the visible ones. */
const margin = 8;
/** How many drawn rows are remembered. */
const maxDrawn = 500;

/** Widths, in pixels, up to which rows leave parts out. */
const compactWidth = 900;
const narrowWidth = 640;

/** The part of the list that is visible, and the classes of its width. */
interface Shape {
  readonly top: number;
  readonly height: number;
  readonly room: string;
}

/** Properties of {@link VirtualList}. */
export interface VirtualListProps {
  /** Lines in order. The array itself may change between two drawings. */
  readonly items: readonly Summary[];
  readonly rowHeight: number;
  readonly label: string;
  /** The number of the selected line. */
  readonly selected: number | undefined;
  readonly onSelect: (item: Summary) => void;
  /** Whether the list scrolls to new rows while its end is visible. */
  readonly follows?: boolean | undefined;
  /** Draws a row. */
  readonly children: (item: Summary) => VNode;
  /**
   * The values besides its line on which a row depends. A row is drawn again only if one of them
   * has changed.
   */
  readonly dependencies: (item: Summary) => readonly unknown[];
}

interface Drawn {
  readonly item: Summary;
  readonly dependencies: readonly unknown[];
  readonly row: VNode;
}

/** A list that draws only the rows that are visible, so that its length costs nothing. */
export function VirtualList(props: VirtualListProps): VNode {
  const { items, rowHeight, selected, follows } = props;
  const box = useRef<HTMLDivElement>(null);
  const [{ top, height, room }, setShape] = useState<Shape>({ top: 0, height: 600, room: "" });
  const atEnd = useRef(true);
  const wanted = useRef(false);
  const drawn = useRef(new Map<number, Drawn>());

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) {
      return undefined;
    }
    const measure = (): void => {
      const { clientHeight, offsetWidth } = element;
      const measured =
        offsetWidth > compactWidth ? "" : offsetWidth > narrowWidth ? " compact" : " compact narrow";
      setShape((before) =>
        before.height === clientHeight && before.room === measured
          ? before
          : { ...before, height: clientHeight, room: measured },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const onScroll = (): void => {
    if (wanted.current) {
      return;
    }
    wanted.current = true;
    requestAnimationFrame(() => {
      wanted.current = false;
      const element = box.current;
      if (element !== null) {
        atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight;
        const { scrollTop, clientHeight } = element;
        setShape((before) => ({ ...before, top: scrollTop, height: clientHeight }));
      }
    });
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (follows === true && atEnd.current && selected === undefined && element !== null) {
      element.scrollTop = items.length * rowHeight;
    }
  }, [items.length]);

  const at = selected === undefined ? -1 : indexOfSeq(items, selected);
  const index = items[at]?.seq === selected ? at : -1;
  useEffect(() => {
    const element = box.current;
    if (index < 0 || element === null) {
      return;
    }
    const start = index * rowHeight;
    if (start < element.scrollTop) {
      element.scrollTop = start;
    } else if (start + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = start + rowHeight - element.clientHeight;
    }
  }, [selected]);

  function rowOf(item: Summary): VNode {
    const dependencies = props.dependencies(item);
    const before = drawn.current.get(item.seq);
    if (before?.item === item && before.dependencies.every((value, place) => value === dependencies[place])) {
      return before.row;
    }
    if (drawn.current.size >= maxDrawn) {
      drawn.current.clear();
    }
    const row = props.children(item);
    drawn.current.set(item.seq, { item, dependencies, row });
    return row;
  }

  const first = Math.max(0, Math.floor(top / rowHeight) - margin);
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + margin);
  // Rows that leave the view become those that enter it, because new elements take longer.
  const slots = Math.ceil(height / rowHeight) + 2 * margin + 1;
  const inView = index >= first && index < last;
  return (
    <div
      ref={box}
      class={`virtual${room}`}
      role="listbox"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={inView ? `row-${String(selected)}` : undefined}
      onScroll={onScroll}
    >
      <div role="presentation" class="filler" style={{ height: `${items.length * rowHeight}px` }}>
        <div role="presentation" class="rows" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {items.slice(first, last).map((item, place) => (
            <div
              key={(first + place) % slots}
              id={`row-${item.seq}`}
              class="row"
              role="option"
              aria-selected={item.seq === selected}
              aria-setsize={items.length}
              aria-posinset={first + place + 1}
              style={{ height: `${rowHeight}px` }}
              onClick={() => props.onSelect(item)}
            >
              {rowOf(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
