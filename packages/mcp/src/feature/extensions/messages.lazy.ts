/** The code that a client or server needs from the first message of an extension on. */
export { answerMethod, takeNotification } from "./incoming.ts";
export { notifyExtension, requestExtension } from "./outgoing.ts";
