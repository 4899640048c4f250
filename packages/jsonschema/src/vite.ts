/**
 * A plugin for Vite 8 and vitest on it, whose compiler (oxc) leaves standard decorators in place.
 * Needs `esbuild`, which is an optional peer dependency.
 *
 * @packageDocumentation
 */

/** A Vite plugin, as far as {@link standardDecorators} is one. */
export interface DecoratorsPlugin {
  readonly name: string;
  readonly enforce: "pre";
  /** Compiles a TypeScript module in which decorators occur; `null` for all others. */
  readonly transform: (
    code: string,
    id: string,
  ) => Promise<{ readonly code: string; readonly map: string } | null>;
}

// An `@name(` at the start of a line or after `{`, `;`, `)` or a space, outside a comment line. A
// wrong guess only means that esbuild strips the types of a file.
const decorator = /^(?!\s*(?:\*|\/[/*])).*(?:^|[\s{;)])@[A-Za-z_$][\w$.]*\s*\(/m;

/**
 * Makes the plugin: `plugins: [standardDecorators()]` in the configuration of Vite or vitest.
 * TypeScript modules in which decorators occur are compiled by esbuild, which lowers them; modules
 * of dependencies are left alone.
 */
export function standardDecorators(): DecoratorsPlugin {
  return {
    name: "standard-decorators",
    enforce: "pre",
    async transform(code, id) {
      if (!/\.[cm]?tsx?$/.test(id) || id.includes("/node_modules/") || !decorator.test(code)) {
        return null;
      }
      const { transform } = await loadEsbuild();
      const lowered = await transform(code, {
        loader: id.endsWith("x") ? "tsx" : "ts",
        jsx: "preserve",
        target: "es2022",
        sourcemap: true,
        sourcefile: id,
        tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      });
      return { code: lowered.code, map: lowered.map };
    },
  };
}

async function loadEsbuild(): Promise<{
  transform: (code: string, options: object) => Promise<{ code: string; map: string }>;
}> {
  try {
    return await import("esbuild");
  } catch (cause) {
    throw new Error("standardDecorators needs esbuild: npm install --save-dev esbuild.", { cause });
  }
}
