/**
 * The frame of the playground runs a program, and shows its messages in the inspector. The frame
 * has an origin of its own, so that a program reaches nothing of the site.
 */
import { forwardConsole } from "./console.ts";
import { isFromPage, tellPage } from "./messages.ts";
import { importMap, inspector, packages } from "./packages.ts";
import { showInspector } from "./show-inspector.ts";

Object.assign(globalThis, { tenonPackages: packages });
// It has to be there before the first module is loaded, so this script is none.
const map = document.createElement("script");
map.type = "importmap";
map.textContent = JSON.stringify(importMap());
document.head.append(map);
forwardConsole();
addEventListener("unhandledrejection", ({ reason }) => tellPage({ kind: "failed", text: describe(reason) }));
// Any site can frame this document, and without a sandbox it would have the origin of the site.
const isApart = globalThis.origin === "null";
addEventListener("message", ({ data, source }: MessageEvent<unknown>) => {
  if (isApart && source === parent && isFromPage(data)) {
    void run(data.run);
  }
});
void showInspector(inspector).then(
  () => tellPage({ kind: "ready" }),
  (error: unknown) => tellPage({ kind: "failed", text: describe(error) }),
);

async function run(code: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    await import(url);
    tellPage({ kind: "ended" });
  } catch (error) {
    tellPage({ kind: "failed", text: describe(error) });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The error with its causes. Stacks name the bundle of the frame alone. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const cause = error.cause === undefined ? "" : `\nCause: ${describe(error.cause)}`;
  return `${error.name}: ${error.message}${cause}`;
}
