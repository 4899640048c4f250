/**
 * A plugin for Vite 8 and vitest on it, whose compiler (oxc) leaves standard decorators in place.
 * Needs `esbuild`, which the project installs.
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

/** `esbuild`, as far as the plugin uses it. */
export interface DecoratorsCompiler {
  /** Compiles a module. */
  transform(
    code: string,
    options: {
      readonly loader: "ts" | "tsx";
      readonly jsx: "preserve";
      readonly target: string;
      readonly sourcemap: true;
      readonly sourcefile: string;
      readonly tsconfigRaw: { readonly compilerOptions: { readonly verbatimModuleSyntax: true } };
    },
  ): Promise<{ readonly code: string; readonly map: string }>;
}

// An `@name(` at the start of a line or after `{`, `;`, `)` or a space, outside a comment line. A
// wrong guess only means that esbuild strips the types of a file.
const decorator = /^(?!\s*(?:\*|\/[/*])).*(?:^|[\s{;)])@[A-Za-z_$][\w$.]*\s*\(/m;

/**
 * Makes the plugin: `plugins: [standardDecorators(esbuild)]` in the configuration of Vite or
 * vitest. TypeScript modules in which decorators occur are compiled by esbuild, which lowers them;
 * modules of dependencies are left alone.
 *
 * @param esbuild - `import * as esbuild from "esbuild"`. As an optional peer dependency, it would
 *   remain in installations for production if the project needs it for development.
 * @throws `TypeError` without `esbuild`.
 */
export function standardDecorators(esbuild: DecoratorsCompiler): DecoratorsPlugin {
  if (typeof (esbuild as DecoratorsCompiler | undefined)?.transform !== "function") {
    throw new TypeError('standardDecorators needs esbuild: import * as esbuild from "esbuild", and pass it.');
  }
  return {
    name: "standard-decorators",
    enforce: "pre",
    async transform(code, id) {
      if (!/\.[cm]?tsx?$/.test(id) || id.includes("/node_modules/") || !decorator.test(code)) {
        return null;
      }
      const lowered = await esbuild.transform(code, {
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
