import { StoreError } from "./error.ts";

/** Runs the methods of a store in memory until it is closed. */
export interface Steps {
  /** Runs a method. Its errors, and the error of a closed store, are rejections. */
  step<T>(run: () => T): Promise<T>;
  /** Makes further steps reject with `CLOSED`. */
  close(): Promise<void>;
}

/**
 * Creates the {@link Steps} of a store.
 *
 * @param subject - The store, as the beginning of a sentence.
 * @param onClose - Called once.
 */
export function createSteps(subject: string, onClose: () => void = () => undefined): Steps {
  let isClosed = false;
  return {
    step: (run) =>
      new Promise((resolve) => {
        if (isClosed) {
          throw new StoreError("CLOSED", `${subject} is closed.`);
        }
        resolve(run());
      }),
    close() {
      if (!isClosed) {
        isClosed = true;
        onClose();
      }
      return Promise.resolve();
    },
  };
}
