/** An action that cannot be done, with a sentence for the person. */
export class ActionError extends Error {
  override readonly name = "ActionError";
}
