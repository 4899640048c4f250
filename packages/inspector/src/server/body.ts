/** A body that is longer than the limit. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

/**
 * Reads the body of a request as text.
 *
 * @throws {@link BodyTooLarge} for a body of more than `most` bytes. The rest is not read.
 */
export async function readBody(request: Request, most: number): Promise<string> {
  const reader = request.body?.getReader();
  if (reader === undefined) {
    return "";
  }
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return text + decoder.decode();
    }
    bytes += value.byteLength;
    if (bytes > most) {
      await reader.cancel();
      throw new BodyTooLarge(`Expected a body of at most ${most} bytes; got more.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
