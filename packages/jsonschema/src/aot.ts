export { toModule, type ModuleOptions } from "./aot/module.ts";
