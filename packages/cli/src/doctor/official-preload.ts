/** Resolves the entries of one package in another. It runs in a thread of Node's loader. */
const hook = `
let setup;
export function initialize(data) { setup = data; }
export function resolve(specifier, context, next) {
  const { from, to, base } = setup;
  const isEntry = specifier === from || specifier.startsWith(from + "/");
  return isEntry
    ? next(to + specifier.slice(from.length), { ...context, parentURL: base })
    : next(specifier, context);
}
`;

/**
 * The module that a program loads first, so that its imports and its calls of `require` get another
 * package.
 *
 * @param folder - Of the other package, which resolves its own name.
 */
export function preload(from: string, to: string, folder: string): string {
  return `
import Module, { createRequire, register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
const from = ${JSON.stringify(from)};
const to = ${JSON.stringify(to)};
const base = pathToFileURL(join(${JSON.stringify(folder)}, "package.json")).href;
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)}, { data: { from, to, base } });
const own = createRequire(base);
const before = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return request === from || request.startsWith(from + "/")
    ? own.resolve(to + request.slice(from.length))
    : before.call(this, request, ...rest);
};
`;
}
