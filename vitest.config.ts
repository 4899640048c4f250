import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { transform } from "esbuild";
import { defineConfig, type Plugin } from "vitest/config";

/** `import` and `default` come by themselves; Node would be told of them too, and `require` would be given modules. */
const conditions = ["@tenon/source", "node"];

const propertySetup = fileURLToPath(new URL("tools/run/property-seed.ts", import.meta.url));

/** Every workspace member that has tests is a vitest project of its own, so that a failure names its package. */
const projects = ["packages", "tools", "examples"].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => existsSync(`${folder}/${name}/test`))
    .map((name) => ({
      extends: true as const,
      test: {
        name: `${folder}/${name}`,
        root: `${folder}/${name}`,
        include: ["test/**/*.test.ts"],
        setupFiles: propertySetup,
      },
    })),
);

/**
 * Vite 8 compiles TypeScript with oxc, which leaves standard (TC39) decorators as they are; Node then stops at the `@`
 * with a SyntaxError. esbuild lowers them once its target is below ESNext, so it takes the files that use decorators,
 * before oxc sees them. A decorator is an `@name` at the start of a line or after `{`, `;`, `)` or a space, outside a
 * comment line; a wrong guess only means that esbuild strips the types of a file instead of oxc.
 */
function standardDecorators(): Plugin {
  const decorator = /^(?!\s*(?:\*|\/[/*])).*(?:^|[\s{;)])@[A-Za-z_$][\w$.]*\s*\(/m;
  return {
    name: "standard-decorators",
    enforce: "pre",
    async transform(code, id) {
      if (!/\.[cm]?ts$/.test(id) || id.includes("/node_modules/") || !decorator.test(code)) return null;
      const { code: lowered, map } = await transform(code, {
        loader: "ts",
        target: "es2022",
        sourcemap: true,
        sourcefile: id,
        tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      });
      return { code: lowered, map };
    },
  };
}

export default defineConfig({
  plugins: [standardDecorators()],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  // Many tests wait for child processes and sockets, so every core gets a worker.
  test: { projects, testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: "100%" },
});
