import { transform } from "esbuild";

export const standardDecorators = {
  name: "standard-decorators",
  enforce: "pre" as const,
  async transform(code: string, id: string) {
    if (!id.endsWith(".ts") || !/@\w+\s*\(/.test(code)) return null;
    return transform(code, { loader: "ts", target: "es2022", sourcemap: true, sourcefile: id });
  },
};
