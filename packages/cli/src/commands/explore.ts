import type { Invocation } from "../command/invocation.ts";
import { shellWord } from "../command/shell-word.ts";
import { contentText, resourceText } from "../output/content.ts";
import { describeError } from "../output/error.ts";
import { missingLogin } from "../output/missing-login.ts";
import { askChoice, type Choice } from "../session/choice.ts";
import { hintOf } from "../session/choose-definition.ts";
import { promptUri } from "../session/choose-uri.ts";
import { fetchEach, type FetchedLists, type Lists } from "../session/definitions.ts";
import { withLogin } from "../session/offer-login.ts";
import { openTarget, type OpenSession } from "../session/open.ts";
import { printToolResult } from "../session/print-tool-result.ts";
import { showProgress } from "../session/progress.ts";
import { promptArguments } from "../session/prompt-arguments.ts";
import { askToolArguments } from "../session/tool-arguments.ts";
import { Interrupted, isInteractive } from "../shell.ts";
import { resolveTarget } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";
import { listIn } from "./list.ts";

/** A choice of a person, and its action. */
interface Step extends Choice {
  readonly act: (opened: OpenSession) => Promise<unknown>;
}

/**
 * Lists what a server offers. At a terminal, the person then chooses tools to call, resources to
 * read and prompts to fill in, until the person ends it.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { printer, shell } = invocation;
  const isAtTerminal = isInteractive(shell) && shell.stdout.isTTY === true && printer.mode === "text";
  const target = await resolveTarget(invocation);
  await using session = sessionOf(invocation, target);
  const code = await session.use((opened) => listIn(invocation, opened, isAtTerminal ? "explore" : "list"));
  if (isAtTerminal) {
    await takeSteps(invocation, target, session);
  }
  return code;
}

async function takeSteps(invocation: Invocation, target: Target, session: Session): Promise<void> {
  const earlier = new Map<string, unknown>();
  let lists: Lists | undefined;
  for (;;) {
    const fetched = await fetchAgain(session).catch((error: unknown) => {
      if (lists === undefined) {
        throw error;
      }
      report(invocation, target, error);
      return {};
    });
    lists = { ...lists, ...fetched };
    const step = await nextStep(invocation, lists, earlier);
    if (step === undefined) {
      return;
    }
    await session.use(step.act).catch((error: unknown) => {
      report(invocation, target, error);
    });
  }
}

interface Session extends AsyncDisposable {
  /** Runs an action in the session of the target, and in a new session after a login. */
  use<T>(action: (opened: OpenSession) => Promise<T>): Promise<T>;
}

function sessionOf(invocation: Invocation, target: Target): Session {
  let current: OpenSession | undefined;
  const isOver = (): boolean => current?.session.isClosed === true || current?.signal.aborted === true;
  const end = async (): Promise<void> => {
    const ending = current;
    current = undefined;
    await ending?.[Symbol.asyncDispose]();
  };
  return {
    use: (action) =>
      withLogin(invocation, target, async () => {
        if (isOver()) {
          await end();
        }
        current ??= await openTarget(invocation, target);
        try {
          return await action(current);
        } catch (error) {
          if (missingLogin(error) !== undefined || isOver()) {
            await end();
          }
          throw error;
        }
      }),
    [Symbol.asyncDispose]: end,
  };
}

/** Fetches the lists for the next step, in a new session if a server has ended after the last. */
async function fetchAgain(session: Session): Promise<Lists> {
  const fetched = (): Promise<FetchedLists> =>
    session.use((opened) =>
      fetchEach(opened.session, ["tools", "resources", "resourceTemplates", "prompts"], opened.signal),
    );
  const { lists } = await fetched().catch((error: unknown) => {
    if (describeError(error).kind !== "connection") {
      throw error;
    }
    return fetched();
  });
  return lists;
}

/** Prompts for the next step. `undefined` if there is none, or the person ends. */
async function nextStep(
  invocation: Invocation,
  lists: Lists,
  earlier: Map<string, unknown>,
): Promise<Step | undefined> {
  const { signal } = invocation;
  const steps = stepsOf(invocation, lists, earlier);
  if (steps.length === 0) {
    invocation.printer.note("Nothing to choose: the server lists no tools, resources or prompts.");
    return undefined;
  }
  const choices = steps.map(({ label, hint }, index) => ({ value: String(index), label, hint }));
  try {
    const chosen = await askChoice("What next?", [...choices, { value: "end", label: "End" }], signal);
    return steps[Number(chosen)];
  } catch (error) {
    if (error instanceof Interrupted && !signal.aborted) {
      return undefined;
    }
    throw error;
  }
}

function stepsOf(
  invocation: Invocation,
  { tools = [], resources = [], resourceTemplates = [], prompts = [] }: Lists,
  earlier: Map<string, unknown>,
): readonly Step[] {
  const { printer } = invocation;
  // The person enters values once, even if the server then requires a further scope.
  let given: Record<string, unknown> | undefined;
  let filled: Record<string, string> | undefined;
  let expanded: string | undefined;
  const read = async (uri: string, { session, signal }: OpenSession): Promise<void> => {
    const result = await session.readResource({ uri }, { signal });
    printer.result(result, () => result.contents.map((each) => resourceText(each)).join("\n"));
  };
  const values = [
    ...tools.map((tool) => ({
      label: `Call ${tool.name}`,
      hint: hintOf(tool),
      async act({ session, signal }: OpenSession) {
        const args = (given ??= await askToolArguments(tool, { earlier, signal: invocation.signal }));
        Object.entries(args).forEach(([name, value]) => earlier.set(name, value));
        const onProgress = showProgress(printer, tool.name);
        const result = await session.callTool({ name: tool.name, arguments: args }, { signal, onProgress });
        await printToolResult(invocation, tool.name, result);
      },
    })),
    ...resources.map(({ uri, name, title = name }) => ({
      label: `Read ${uri}`,
      hint: title,
      act: (opened: OpenSession) => read(uri, opened),
    })),
    ...resourceTemplates.map(({ uriTemplate, name, title = name }) => ({
      label: `Read ${uriTemplate}`,
      hint: title,
      act: async (opened: OpenSession) =>
        read((expanded ??= await promptUri({ uriTemplate }, invocation.signal)), opened),
    })),
    ...prompts.map((prompt) => ({
      label: `Fill in ${prompt.name}`,
      hint: hintOf(prompt),
      async act({ session, signal }: OpenSession) {
        const args = (filled ??= await promptArguments(prompt, invocation.signal));
        const result = await session.getPrompt({ name: prompt.name, arguments: args }, { signal });
        printer.result(result, () =>
          result.messages.map(({ role, content }) => `${role}: ${contentText(content)}`).join("\n"),
        );
      },
    })),
  ];
  return values.map((step, index) => ({ value: String(index), ...step }));
}

/** Prints the error of a step. The person can then choose another step. */
function report(invocation: Invocation, target: Target, error: unknown): void {
  const { flags, printer, signal } = invocation;
  if (signal.aborted) {
    throw error;
  }
  printer.progress(undefined);
  if (!(error instanceof Interrupted)) {
    const profile = flags.text("profile");
    printer.error(describeError(error, target.label, profile && shellWord(profile)));
  }
}
