import type { Inspector, InspectorGrant } from "@tenon/inspector";

const origin = "http://localhost";

/**
 * Makes this document the page of an inspector in this document: requests of the page go to the
 * inspector, without a network.
 */
export async function showInspector(inspector: Inspector): Promise<void> {
  // A frame with an origin of its own has no storage.
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(globalThis, name, { value: memoryStorage() });
  }
  const grant = inspector.grant();

  const network = globalThis.fetch.bind(globalThis);
  globalThis.fetch = (input, init) =>
    typeof input === "string" && !URL.canParse(input)
      ? inspector.handle(requestOf(input, init, grant))
      : network(input, init);

  const text = async (path: string): Promise<string> => (await fetch(path)).text();
  const style = document.createElement("style");
  style.textContent = await text("page.css");
  document.head.append(style);
  const script = new Blob([await text("page.js")], { type: "text/javascript" });
  await import(URL.createObjectURL(script));
}

/** A request as a server would get it: browsers let no script set some of these headers. */
function requestOf(path: string, init: RequestInit | undefined, grant: InspectorGrant): Request {
  const request = new Request(`${origin}/${path}`, init);
  const headers = new Headers(init?.headers);
  Object.entries({ origin, ...grant }).forEach(([name, value]) => headers.set(name, value));
  Object.defineProperty(request, "headers", { value: headers });
  return request;
}

function memoryStorage(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const values = new Map<string, string>();
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  };
}
