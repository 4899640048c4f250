// Installs a package as npm would, with one or the other SDK under the name of the official one. Scripts without TypeScript use it, too.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
/** The folder of each SDK. */
export const sdks = {
  tenon: fileURLToPath(new URL("../..", import.meta.url)),
  original: join(dirname(require.resolve("@modelcontextprotocol/sdk/types.js")), "../.."),
};

const folders = [];
/** Removes all folders that were made. */
export function removeFolders() {
  for (const folder of folders.splice(0)) {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder of a program, with an SDK in its `node_modules`. */
export function folderWith(sdk, files) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `official-v1-${sdk}-`)));
  folders.push(folder);
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@modelcontextprotocol"), { recursive: true });
  symlinkSync(sdks[sdk], join(modules, "@modelcontextprotocol/sdk"));
  symlinkSync(realpathSync(join(sdks.tenon, "node_modules/zod")), join(modules, "zod"));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Installs a package that this one has as a devDependency, beside its dependencies. Returns the file of its command. */
export function commandWith(sdk, name) {
  const from = dirname(realpathSync(require.resolve(`${name}/package.json`)));
  const siblings = name.startsWith("@") ? dirname(dirname(from)) : dirname(from);
  const folder = folderWith(sdk, {});
  const modules = join(folder, "node_modules");
  const target = join(modules, name);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(from, target, {
    recursive: true,
    filter: (path) => !path.slice(from.length).includes("node_modules"),
  });
  for (const entry of readdirSync(siblings)) {
    const names = entry.startsWith("@")
      ? readdirSync(join(siblings, entry)).map((each) => `${entry}/${each}`)
      : [entry];
    for (const each of names) {
      if (!existsSync(join(modules, each))) {
        mkdirSync(dirname(join(modules, each)), { recursive: true });
        symlinkSync(realpathSync(join(siblings, each)), join(modules, each));
      }
    }
  }
  const { bin } = JSON.parse(readFileSync(join(target, "package.json"), "utf8"));
  return join(target, typeof bin === "string" ? bin : (bin[basename(name)] ?? Object.values(bin)[0]));
}
