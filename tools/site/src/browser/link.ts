/** The maximum length of a program in a link, in characters. */
const maxCode = 20_000;

/**
 * The fragment of a link to a program.
 *
 * @throws `RangeError` if the program is too long.
 */
export async function fragmentOf(code: string): Promise<string> {
  if (code.length > maxCode) {
    throw new RangeError(
      `A program in a link has at most ${maxCode} characters; this one has ${code.length}.`,
    );
  }
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(code));
  const base64 = btoa(String.fromCharCode(...bytes));
  return `#code=${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/**
 * The program of a fragment; `undefined` if there is none.
 *
 * @throws `Error` if it is malformed or too long.
 */
export async function codeOf(fragment: string): Promise<string | undefined> {
  const found = /^#code=([\w-]+)$/.exec(fragment)?.[1];
  if (found === undefined) {
    return undefined;
  }
  const base64 = found.replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
  } catch (error) {
    throw new Error("The link does not contain a whole program. Copy it again.", { cause: error });
  }
}

/** Passes bytes through a stream. The output is limited: a few bytes can become gigabytes. */
async function through(
  { readable, writable }: CompressionStream | DecompressionStream,
  input: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const writer = writable.getWriter();
  const written = writer.write(input).then(() => writer.close());
  written.catch(() => {});
  const chunks: number[] = [];
  for await (const chunk of readable as AsyncIterable<Uint8Array>) {
    chunks.push(...chunk);
    if (chunks.length > 4 * maxCode) {
      throw new RangeError("The program is too long.");
    }
  }
  await written;
  return Uint8Array.from(chunks);
}
