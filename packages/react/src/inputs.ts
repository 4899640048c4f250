import type { ClientRequest, ElicitationHandlers } from "@tenon/mcp/client";
import type {
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  RequestId,
} from "@tenon/protocol";

/** The kinds of input that a page can provide: values of a form, and a visit of a web page. */
export type InputKind = "form" | "url";

/** An input request that waits for the user. Each method responds to it; only the first counts. */
interface Asked {
  /** Unique in the list: the `key` of its element. */
  readonly key: number;
  /** The ID of the request that requires the input, if it is known. */
  readonly relatedTo: RequestId | undefined;
  /** The user does not agree. */
  readonly decline: () => void;
  /** The user has closed the form without a decision. */
  readonly cancel: () => void;
}

/** A form that a server asks the user to fill in. */
export interface FormInput extends Asked {
  readonly kind: "form";
  /** `message`, and the fields as a JSON Schema: `requestedSchema`. */
  readonly params: ElicitRequestFormParams;
  /**
   * Sends the values of the fields. Omitted fields get their defaults; values that do not match
   * the schema fail the request.
   */
  readonly accept: (content: NonNullable<ElicitResult["content"]>) => void;
}

/** A web page that a server asks the user to visit. */
export interface UrlInput extends Asked {
  readonly kind: "url";
  /**
   * `message` and `url`, which is `http:` or `https:`. Show the host, and open the page only when
   * the user clicks.
   */
  readonly params: ElicitRequestURLParams;
  /** The user has agreed, and the page is open. */
  readonly accept: () => void;
}

/** An input request of a server to the user. */
export type ServerInput = FormInput | UrlInput;

/** Maximum number of input requests that wait at a time. Further ones are cancelled. */
const maxInputs = 32;

/** The input requests of one connection. */
export interface Inputs {
  /** The handlers of the kinds that the page provides. */
  readonly handlers: ElicitationHandlers | undefined;
  /** The requests that are pending. Each change is a new array. */
  readonly list: () => readonly ServerInput[];
}

/**
 * Collects the input requests of one connection.
 *
 * @param onChange - Called when the list has changed.
 * @throws `TypeError` for kinds that do not exist.
 */
export function createInputs(kinds: readonly InputKind[], onChange: () => void): Inputs {
  const unknown = kinds.find((kind) => kind !== "form" && kind !== "url");
  if (unknown !== undefined) {
    throw new TypeError(
      `Expected "form" or "url" in the option inputs of useServer; got ${JSON.stringify(unknown)}.`,
    );
  }
  let list: readonly ServerInput[] = [];
  let lastKey = 0;

  function change(next: readonly ServerInput[]): void {
    list = next;
    onChange();
  }

  /** Shows a request until the user responds, or until the server no longer needs the response. */
  function ask(
    { signal, relatedTo }: ClientRequest,
    show: (asked: Asked, settle: (result: ElicitResult) => void) => ServerInput,
  ): Promise<ElicitResult> {
    if (signal.aborted || list.length >= maxInputs) {
      return Promise.resolve({ action: "cancel" });
    }
    return new Promise((resolve) => {
      const key = ++lastKey;
      const settle = (result: ElicitResult): void => {
        signal.removeEventListener("abort", cancel);
        resolve(result);
        if (list.some((input) => input.key === key)) {
          change(list.filter((input) => input.key !== key));
        }
      };
      const cancel = (): void => settle({ action: "cancel" });
      signal.addEventListener("abort", cancel);
      const asked = { key, relatedTo, decline: () => settle({ action: "decline" }), cancel };
      change([...list, show(asked, settle)]);
    });
  }

  const form: ElicitationHandlers["form"] = (params, request) =>
    ask(request, (asked, settle) => ({
      ...asked,
      kind: "form",
      params,
      accept: (content) => settle({ action: "accept", content }),
    }));

  const url: ElicitationHandlers["url"] = (params, request) => {
    // A page that shows it as a link would run a script of the server.
    if (!/^https?:$/.test(new URL(params.url).protocol)) {
      throw new TypeError("Expected an http or https URL in the input request.");
    }
    return ask(request, (asked, settle) => ({
      ...asked,
      kind: "url",
      params,
      accept: () => settle({ action: "accept" }),
    }));
  };

  const handlers = {
    ...(kinds.includes("form") ? { form } : {}),
    ...(kinds.includes("url") ? { url } : {}),
  };
  return { handlers: kinds.length === 0 ? undefined : handlers, list: () => list };
}
