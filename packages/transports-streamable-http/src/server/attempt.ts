/** Does a step whose failure must not keep others from being done. */
export function attempt(step: () => void, onError: (error: unknown) => void): void {
  try {
    step();
  } catch (error) {
    onError(error);
  }
}
