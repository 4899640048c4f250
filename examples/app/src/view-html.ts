import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/** Bundles the program of the view into one HTML document, because views load no files. */
export async function viewHtml(): Promise<string> {
  const program = fileURLToPath(new URL("../src/browser/view.ts", import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
  });
  const script = outputFiles.map(({ text }) => text).join("");
  // A script ends at the first "</script", wherever it is.
  return `<!doctype html>
<meta charset="utf-8">
<title>Lunch</title>
<style>
  body { font-family: var(--font-sans, sans-serif); margin: 1rem; }
  button { color: var(--color-text-primary, black); margin-right: 1rem; }
</style>
<body>
<script type="module">${script.replaceAll("</script", "<\\/script")}</script>`;
}
