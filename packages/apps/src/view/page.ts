/** An element of a document. */
interface PageElement {
  id: string;
  textContent: string | null;
  readonly dataset: Record<string, string | undefined>;
  readonly style: { colorScheme: string; setProperty(name: string, value: string): void };
  getBoundingClientRect(): { readonly width: number; readonly height: number };
  append(child: PageElement): void;
}

/** A message that a window has received. */
export interface WindowMessage {
  readonly source: unknown;
  readonly origin: string;
  readonly data: unknown;
}

type Listener = (message: WindowMessage) => void;

/** The parts of a browser that a view uses. */
interface Page {
  /** The window that shows the view. For a top-level window it is the window itself. */
  readonly parent?: { postMessage(message: unknown, targetOrigin: string): void };
  addEventListener(type: "message", listener: Listener): void;
  removeEventListener(type: "message", listener: Listener): void;
  readonly document: {
    readonly documentElement: PageElement;
    readonly head: PageElement;
    /** Missing while the document loads. */
    readonly body: PageElement | null;
    getElementById(id: string): PageElement | null;
    createElement(name: string): PageElement;
  };
  readonly ResizeObserver?: new (changed: () => void) => {
    observe(element: PageElement): void;
    disconnect(): void;
  };
}

/**
 * The browser of the view. Its types are written out here, because programs without the types of
 * browsers compile this package too.
 */
export const page: Page = globalThis as unknown as Page;
