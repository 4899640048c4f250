export { codegenEngine as codegen } from "../codegen/engine.ts";
