import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

interface Manifest {
  readonly name: string;
  readonly exports: Record<string, unknown>;
  readonly devDependencies?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

const specifier = /^\s*(?:(?:import|export)\b[^"';]*?\bfrom\s*|import\s*)["']([^"'.#][^"']*)["']/gm;

/**
 * The imports in the sources of all packages that their users would not have: tests may use
 * devDependencies, what is published may not.
 */
export async function undeclaredImports(packages: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(packages)) {
    const manifest = JSON.parse(await readFile(join(packages, name, "package.json"), "utf8")) as Manifest;
    const declared = new Set([
      manifest.name,
      ...Object.keys(manifest.dependencies ?? {}),
      ...Object.keys(manifest.peerDependencies ?? {}),
      // A program is bundled whole, with all that it imports.
      ...(Object.keys(manifest.exports).every((name) => name === "./package.json")
        ? Object.keys(manifest.devDependencies ?? {})
        : []),
    ]);
    const src = join(packages, name, "src");
    for (const file of await readdir(src, { recursive: true })) {
      // The page of the inspector is bundled whole, with all that it imports.
      if (file.endsWith(".ts") && !(name === "inspector" && file.startsWith("page"))) {
        const text = await readFile(join(src, file), "utf8");
        for (const [, imported = ""] of text.matchAll(specifier)) {
          const packageName = imported
            .split("/")
            .slice(0, imported.startsWith("@") ? 2 : 1)
            .join("/");
          if (!imported.startsWith("node:") && !declared.has(packageName)) {
            found.push(`${name}/src/${file}: ${packageName}`);
          }
        }
      }
    }
  }
  return found;
}
