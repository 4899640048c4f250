import type { VNode } from "preact";

import type { InputKind } from "../../wire/state.ts";
import { Empty } from "../parts/empty.tsx";
import { attempt, definitions, state, view } from "../store.ts";
import { answered, type Answered } from "./answered.ts";
import { InputRequestCard } from "./input-request.tsx";
import { Roots } from "./roots.tsx";
import { targetsOf } from "./targets.ts";
import { chosen, started } from "./try-state.ts";

const answers: Readonly<Record<Answered["action"], string>> = {
  accept: "Your answer was sent",
  decline: "Your refusal was sent",
  cancel: "Your cancellation was sent",
};

/** That the last answer was sent, and the way to what became of it. */
function LastAnswer(): VNode {
  const { value: last } = answered;
  const target = targetsOf(definitions.value).find(({ key }) => started.value[key] === last?.call);
  const show = (): void => {
    chosen.value = target?.key;
    view.value = "try";
  };
  return (
    <p class="facts" role="status">
      {last !== undefined && (
        <span>
          {answers[last.action]}
          {last.asker !== undefined && (
            <>
              {" "}
              to <code>{last.asker}</code>
            </>
          )}
          .
        </span>
      )}
      {last?.call !== undefined && target !== undefined && (
        <button type="button" class="link" onClick={show}>
          Show the result
        </button>
      )}
    </p>
  );
}

/** The input requests of the server, and the roots that it may list. */
export function Answers(): VNode {
  const { inputRequests = [], always = {}, source } = state.value ?? {};
  return (
    <div class="page">
      <h2>Input requests</h2>
      <LastAnswer />
      {inputRequests.length === 0 && (
        <Empty title="The server asks nothing at the moment.">
          A tool can ask for values, for a visit of a page, or for a message of a model while it runs. The
          form appears here, and below the call in Try.
        </Empty>
      )}
      {inputRequests.map((request) => (
        <InputRequestCard key={request.id} request={request} />
      ))}
      {(Object.keys(always) as InputKind[]).map((kind) => (
        <p key={kind} class="facts">
          <span class="tag">{kind}</span> is always answered with <code>{JSON.stringify(always[kind])}</code>
          <button type="button" onClick={() => void attempt({ do: "ask", kind })}>
            Ask me again
          </button>
        </p>
      ))}
      {source?.kind === "live" && <Roots />}
    </div>
  );
}
