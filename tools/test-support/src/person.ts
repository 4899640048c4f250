import { deferred } from "./deferred.ts";

/** A person behind a client: the options of the client, and the questions that it got. */
export interface Person {
  /** The messages of the questions, in their order. */
  readonly asked: string[];
  /** Options of a client that gives the answers of the person. */
  readonly options: {
    readonly cache: false;
    readonly onError: () => void;
    readonly roots: [{ readonly uri: string }];
    readonly sampling: {
      createMessage(): {
        readonly model: string;
        readonly role: "assistant";
        readonly content: { readonly type: "text"; readonly text: string };
      };
    };
    readonly elicitation: {
      form(params: { readonly message: string }): Promise<{ action: "accept"; content: { ok: string } }>;
    };
  };
}

/** A person who answers with the own name. @param wait - Runs before each answer. */
export function person(who: string, wait: () => unknown = () => {}): Person {
  const asked: string[] = [];
  return {
    asked,
    options: {
      cache: false,
      onError: () => {},
      roots: [{ uri: `file:///${who}` }],
      sampling: {
        createMessage: () => ({
          model: "m",
          role: "assistant",
          content: { type: "text", text: `model of ${who}` },
        }),
      },
      elicitation: {
        form: async ({ message }) => {
          asked.push(message);
          const ok = `${who} ${asked.length}`;
          await wait();
          return { action: "accept", content: { ok } };
        },
      },
    },
  };
}

/** The text of the result of a tool, or the code and the message of the error. */
export async function textOf(
  result: Promise<{ readonly content: readonly { readonly type: string; readonly text?: unknown }[] }>,
): Promise<string> {
  try {
    const { content } = await result;
    return content[0]?.type === "text" ? String(content[0].text) : JSON.stringify(content);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    return `${String(code)} ${message}`;
  }
}

/** Resolves for all as soon as so many have come. */
export function meeting(size: number): () => Promise<void> {
  const { promise, resolve } = deferred();
  let here = 0;
  return () => {
    if (++here === size) {
      resolve();
    }
    return promise;
  };
}
