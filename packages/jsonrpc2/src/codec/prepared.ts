const texts = new WeakMap<object, string>();

/**
 * Freezes a result that will be sent again and again and writes its JSON once: `encode` then copies the text instead of writing the result anew. Everything
 * inside it must stay as it is too. Transports that do not use `encode` see an ordinary object. The text lives as long as the object.
 *
 * @throws `TypeError` for what JSON cannot carry.
 */
export function prepareResult<T extends object>(result: T): T {
  texts.set(result, JSON.stringify(result));
  return Object.freeze(result);
}

/** The JSON of a result that {@link prepareResult} was given; of copies of it there is none. */
export function preparedText(result: unknown): string | undefined {
  return typeof result === "object" && result !== null ? texts.get(result) : undefined;
}
