import type { VNode } from "preact";

import type { InputKind } from "../../wire/state.ts";
import { Empty } from "../parts/empty.tsx";
import { attempt, state } from "../store.ts";
import { InputRequestCard } from "./input-request.tsx";
import { Roots } from "./roots.tsx";

/** The input requests of the server, and the roots that it may list. */
export function Answers(): VNode {
  const { inputRequests = [], always = {}, source } = state.value ?? {};
  return (
    <div class="page">
      <h2>Input requests</h2>
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
