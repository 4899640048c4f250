import { standardDecorators } from "@tenon/jsonschema/vite";
import * as esbuild from "esbuild";
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [standardDecorators(esbuild)] });
