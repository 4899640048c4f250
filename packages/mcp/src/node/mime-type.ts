const known: ReadonlyMap<string, string> = new Map([
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["gif", "image/gif"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["mjs", "text/javascript"],
  ["mp3", "audio/mpeg"],
  ["mp4", "video/mp4"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["ts", "text/typescript"],
  ["txt", "text/plain"],
  ["wasm", "application/wasm"],
  ["wav", "audio/wav"],
  ["webp", "image/webp"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["zip", "application/zip"],
]);

/**
 * Returns the media type of the extension of a file name; `undefined` for an unknown extension.
 *
 * @param own - Additional types, which have priority.
 */
export function mimeTypeOf(name: string, own: Readonly<Record<string, string>>): string | undefined {
  const dot = name.lastIndexOf(".");
  const extension = dot < 1 ? "" : name.slice(dot + 1).toLowerCase();
  return Object.hasOwn(own, extension) ? own[extension] : known.get(extension);
}
