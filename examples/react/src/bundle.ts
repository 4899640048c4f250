import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/** The script of the page. */
export async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../src/browser/main.tsx", import.meta.url))],
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
    target: "es2023",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles.map(({ text }) => text).join("\n");
}

/** The document of the page. @param endpoint - The URL of the bakery. */
export function documentOf(endpoint: string): string {
  return `<!doctype html><title>A cake</title>
<body data-endpoint="${endpoint}" style="font: 1.2rem system-ui; margin: 3rem">
<h1>This page orders cakes by MCP</h1>
<script type="module" src="/main.js"></script>`;
}
