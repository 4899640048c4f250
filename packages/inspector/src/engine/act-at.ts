import type { Action } from "../wire/action.ts";
import { ActionError } from "./action-error.ts";
import { readDefinitions } from "./definitions.ts";
import type { Live } from "./live.ts";
import type { OpenedServer } from "./opened.ts";

/** The functions of the inspector that actions at a server call. */
export interface ActionOwner {
  readonly maxWatched: number;
  /** @throws `ActionError` if too many calls run. */
  requireFree(): void;
  remove(server: OpenedServer): Promise<void>;
  changed(): void;
}

/**
 * Does what the page asks for at a server.
 *
 * @throws `ActionError` for an action that cannot be done.
 */
export async function actAt(server: OpenedServer, action: Action, owner: ActionOwner): Promise<unknown> {
  const { live, calls, inputRequests } = server;
  switch (action.do) {
    case "call": {
      const session = sessionOf(server);
      owner.requireFree();
      // Its end is seen in the state.
      calls.start(session, action).catch(() => {});
      return undefined;
    }
    case "cancel":
      return calls.cancel(action.call);
    case "answer":
      if (!inputRequests.answer(action.question, action.answer, action.always === true)) {
        throw new ActionError(
          "This input request has ended: the server cancelled it, or another page responded.",
        );
      }
      return undefined;
    case "ask":
      return inputRequests.askAgain(action.kind);
    case "roots":
      sessionOf(server);
      return live.setRoots(action.roots);
    case "headers":
      server.headers.set(action.headers);
      return owner.changed();
    case "request": {
      const session = sessionOf(server);
      owner.requireFree();
      return calls.request(session, action);
    }
    case "view":
      return (await import("./extensions.lazy.ts")).readView(sessionOf(server), action.uri);
    case "skills":
      return (await import("./extensions.lazy.ts")).listSkills(sessionOf(server));
    case "skill":
      return (await import("./extensions.lazy.ts")).readSkillFile(sessionOf(server), action.uri, action.path);
    case "cors": {
      if (server.url === undefined) {
        throw new ActionError(
          "Only a server with an address is checked. Start the inspector with a URL, or set address of the source.",
        );
      }
      const { checkCors } = await import("./cors.lazy.ts");
      return checkCors(server.url, action.origin, server.fetch);
    }
    case "watch":
      sessionOf(server);
      if (live.watched.length >= owner.maxWatched) {
        throw new ActionError(`${live.watched.length} resources are watched; stop watching one first.`);
      }
      return live.watch(action.uri);
    case "unwatch":
      return live.unwatch(action.uri);
    case "remove":
      return owner.remove(server);
    case "login":
      return live.login();
    case "logout":
      return live.logout();
    case "connect":
      return server.connect();
    case "disconnect":
      return live.disconnect();
    case "definitions":
      return readDefinitions(sessionOf(server));
    case "say":
      sessionOf(server);
      return (await server.chat()).say(action.text);
    case "approve":
      if (!(await server.chat()).approve(action.call, action.approval)) {
        throw new ActionError("This call no longer waits: another page decided, or the model was stopped.");
      }
      return undefined;
    case "stop":
      return (await server.chat()).stop();
    case "forget":
      return (await server.chat()).forget();
    default:
      return undefined;
  }
}

function sessionOf({ live }: OpenedServer): NonNullable<Live["session"]> {
  if (live.session === undefined) {
    throw new ActionError("Connect to the server first.");
  }
  return live.session;
}
