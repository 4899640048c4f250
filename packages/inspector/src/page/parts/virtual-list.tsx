import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** How many rows are drawn above and below the visible ones. */
const margin = 8;

/** Properties of {@link VirtualList}. */
export interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly label: string;
  readonly keyOf: (item: T) => number | string;
  readonly selected: number | string | undefined;
  readonly onSelect: (item: T) => void;
  /** Whether the list scrolls to new rows while its end is visible. */
  readonly follows?: boolean | undefined;
  readonly children: (item: T) => ComponentChildren;
}

/** A list that draws only the rows that are visible, so that its length costs nothing. */
export function VirtualList<T>(props: VirtualListProps<T>): VNode {
  const { items, rowHeight, keyOf, selected, follows } = props;
  const box = useRef<HTMLDivElement>(null);
  const [{ top, height }, setWindow] = useState({ top: 0, height: 600 });
  const atEnd = useRef(true);
  const wanted = useRef(false);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) {
      return undefined;
    }
    const measure = (): void => {
      setWindow((before) =>
        before.height === element.clientHeight ? before : { ...before, height: element.clientHeight },
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
        setWindow({ top: element.scrollTop, height: element.clientHeight });
      }
    });
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (follows === true && atEnd.current && selected === undefined && element !== null) {
      element.scrollTop = element.scrollHeight;
    }
  }, [items.length]);

  const lastIndex = useRef(-1);
  const before = items[lastIndex.current];
  const isSame = selected === undefined || (before !== undefined && keyOf(before) === selected);
  const index =
    selected === undefined
      ? -1
      : isSame
        ? lastIndex.current
        : items.findIndex((item) => keyOf(item) === selected);
  lastIndex.current = index;
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

  const first = Math.max(0, Math.floor(top / rowHeight) - margin);
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + margin);
  const inView = index >= first && index < last;
  return (
    <div
      ref={box}
      class="virtual"
      role="listbox"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={inView ? `row-${String(selected)}` : undefined}
      onScroll={onScroll}
    >
      <div role="presentation" class="filler" style={{ height: `${items.length * rowHeight}px` }}>
        <div role="presentation" class="rows" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {items.slice(first, last).map((item, at) => (
            <div
              key={keyOf(item)}
              id={`row-${keyOf(item)}`}
              class="row"
              role="option"
              aria-selected={keyOf(item) === selected}
              aria-setsize={items.length}
              aria-posinset={first + at + 1}
              style={{ height: `${rowHeight}px` }}
              onClick={() => props.onSelect(item)}
            >
              {props.children(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
