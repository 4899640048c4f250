import { PassThrough, type Readable, type Transform } from "node:stream";
import zlib from "node:zlib";

/** Maximum size of a body that is recorded, in bytes after decompression. */
const maxBodyBytes = 16 * 1024 * 1024;

type Decoders = Readonly<Record<string, (() => Transform) | undefined>>;

const decoders: Decoders = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  // Node 20 does not have it.
  zstd: (zlib as { readonly createZstdDecompress?: () => Transform }).createZstdDecompress,
};

/**
 * A copy of a body, decompressed. Call it before the body is read. The copy fails if the body is
 * cut off, or is not what its encoding says; the body itself is not affected.
 */
export function copyOf(body: Readable, encoding: string | undefined): Readable {
  const copy = new PassThrough();
  body.once("close", () => {
    if (!body.readableEnded) {
      copy.destroy(new Error("The body was cut off."));
    }
  });
  body.pipe(copy);
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") {
    return copy;
  }
  const decoder = decoders[name]?.() ?? new PassThrough();
  if (!Object.hasOwn(decoders, name) || decoders[name] === undefined) {
    decoder.destroy(new Error(`The encoding ${JSON.stringify(encoding)} is not known.`));
  }
  copy.on("error", (error) => decoder.destroy(error));
  return copy.pipe(decoder);
}

/** Reads the text of a body. @throws If it is longer than 16 MiB or not UTF-8. */
export async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) {
      throw new Error(`More than ${maxBodyBytes} bytes are not recorded.`);
    }
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}
