/**
 * Returns a function that runs `clean` once in `every` calls. So writers of new rows also delete
 * old rows.
 */
export function everySo(every: number, clean: () => Promise<unknown>): () => Promise<void> {
  let count = 0;
  return async () => {
    count++;
    if (count % every === 0) {
      // If it fails, old rows are deleted by a later call.
      await clean().catch(() => undefined);
    }
  };
}
