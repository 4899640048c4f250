import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A folder with a program, and with a package under the name of the official SDK, as an alias in
 * `package.json` installs it.
 *
 * @param entry - An entry of the package.
 * @param up - The way from the folder of the entry's file to the package.
 */
export function folderWith(entry: string, up: string, program: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bench-drop-in-")));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@modelcontextprotocol"), { recursive: true });
  const found = dirname(fileURLToPath(import.meta.resolve(entry)));
  symlinkSync(join(found, up), join(modules, "@modelcontextprotocol/sdk"));
  symlinkSync(dirname(fileURLToPath(import.meta.resolve("zod"))), join(modules, "zod"));
  writeFileSync(join(folder, "server.mjs"), program);
  return folder;
}
