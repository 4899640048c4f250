/** The code that a client or server needs from the first message of an extension on. */
export { answerMethod, takeNotification } from "./incoming.ts";
export { encodeParams, notifyExtension, requestExtension } from "./outgoing.ts";
