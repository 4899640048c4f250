import { inputRequired, type RequestContext, type Server } from "@tenon/mcp";

import { colorForm, nameForm, okForm } from "./forms.ts";

const question = (text: string): Parameters<RequestContext["sample"]>[0] => ({
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens: 100,
});

/**
 * The tools of the multi-round scenarios. They are written as if the client could be asked at any
 * time.
 */
export function addInputTools(server: Server): void {
  const name = (part: string): string => `test_input_required_result_${part}`;
  // The suite also answers without having been asked, and so without state: this one reads the
  // answers by hand.
  server.addTool({ name: name("elicitation"), description: "Asks for a name" }, (_, { inputResponses }) => {
    const answer = inputResponses?.["user_name"] as
      | { action?: unknown; content?: { name?: unknown } }
      | undefined;
    const given = answer?.action === "accept" ? answer.content?.name : undefined;
    if (typeof given === "string") {
      return `Hello, ${given}!`;
    }
    return inputRequired({
      inputRequests: {
        user_name: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "What is your name?",
            requestedSchema: { ...nameForm, required: ["name"] },
          },
        },
      },
    });
  });
  server.addTool({ name: name("sampling"), description: "Asks the model" }, async (_, context) => {
    const answer = await context.sample(question("What is the capital of France?"), {
      key: "capital_question",
    });
    return JSON.stringify(answer.content);
  });
  server.addTool({ name: name("list_roots"), description: "Asks for the roots" }, async (_, context) => {
    const roots = await context.listRoots({ key: "client_roots" });
    return `${roots.length} roots`;
  });
  server.addTool(
    { name: name("request_state"), description: "Keeps state between rounds" },
    async (_, context) => {
      const started = await context.step("started", () => "once");
      const outcome = await context.elicit(
        { message: "Go on?", requestedSchema: okForm },
        { key: "confirm" },
      );
      return `state-ok ${started} ${outcome.action}`;
    },
  );
  server.addTool(
    { name: name("multiple_inputs"), description: "Asks three things at once" },
    async (_, context) => {
      await context.step("started", () => "once");
      const [user, answer, roots] = await Promise.all([
        context.elicit({ message: "What is your name?", requestedSchema: nameForm }, { key: "user_name" }),
        context.sample(question("Write a greeting"), { key: "greeting" }),
        context.listRoots({ key: "client_roots" }),
      ]);
      return `${user.action} ${JSON.stringify(answer.content)} ${roots.length}`;
    },
  );
  server.addTool({ name: name("multi_round"), description: "Asks twice" }, async (_, context) => {
    const first = await context.elicit(
      { message: "What is your name?", requestedSchema: nameForm },
      { key: "step1" },
    );
    const second = await context.elicit(
      { message: "What is your favourite colour?", requestedSchema: colorForm },
      { key: "step2" },
    );
    return `${first.action} ${second.action}`;
  });
  server.addTool(
    { name: name("tampered_state"), description: "Notices changed state" },
    async (_, context) => {
      await context.step("started", () => "once");
      const outcome = await context.elicit(
        { message: "Go on?", requestedSchema: okForm },
        { key: "confirm" },
      );
      return outcome.action;
    },
  );
  server.addTool(
    { name: name("capabilities"), description: "Asks what the client can answer" },
    async (_, context) => {
      if (context.client.capabilities.sampling === undefined) {
        const outcome = await context.elicit({ message: "Who are you?", requestedSchema: nameForm });
        return outcome.action;
      }
      const answer = await context.sample(question("Who are you?"));
      return JSON.stringify(answer.content);
    },
  );
  server.addPrompt({ name: name("prompt"), description: "Asks for context" }, async (_, context) => {
    const outcome = await context.elicit(
      {
        message: "What is it about?",
        requestedSchema: { type: "object", properties: { context: { type: "string" } } },
      },
      { key: "user_context" },
    );
    return `The user said: ${JSON.stringify(outcome.content ?? {})}`;
  });
}
