import { createElement, StrictMode, type ReactElement } from "react";

/** A root of React without a browser. */
export interface BareRoot {
  /** Renders in StrictMode, or unmounts, and runs all effects. Components must render `null`. */
  readonly render: (page: ReactElement | null) => void;
  /** The global document. */
  readonly document: { baseURI?: string };
  /** Unmounts, and removes the globals. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a root for components that render `null`: React then needs a window, but no DOM. The hooks,
 * their effects and StrictMode are those of React.
 */
export async function openRoot(): Promise<BareRoot> {
  const none = (): void => {};
  const document: { readonly nodeType: 9; addEventListener(): void; baseURI?: string } = {
    nodeType: 9,
    addEventListener: none,
  };
  const element = {
    nodeType: 1,
    nodeName: "DIV",
    tagName: "DIV",
    ownerDocument: document,
    addEventListener: none,
  };
  Object.assign(globalThis, { window: { document, HTMLIFrameElement: class {} }, document });
  const [{ createRoot }, { flushSync }] = await Promise.all([
    import("react-dom/client"),
    import("react-dom"),
  ]);
  const root = createRoot(element);
  const render = (page: ReactElement | null): void =>
    flushSync(() => root.render(createElement(StrictMode, null, page)));
  return {
    render,
    document,
    async close() {
      flushSync(() => root.unmount());
      // The last turn of the scheduler of React reads the window.
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      for (const name of ["window", "document"]) {
        Reflect.deleteProperty(globalThis, name);
      }
    },
  };
}
