import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { CorsReport } from "../../wire/verdict.ts";
import { act } from "../api.ts";
import { Verdicts } from "../parts/verdicts.tsx";
import { say, state } from "../store.ts";

/** What a client in a browser would see of the server. */
export function Cors(): VNode | null {
  const [origin, setOrigin] = useState("https://app.example");
  const [report, setReport] = useState<CorsReport>();
  const url = state.value?.source.url;
  if (url === undefined) {
    return null;
  }
  const check = async (): Promise<void> => {
    const found = (await act({ do: "cors", origin })) as CorsReport;
    setReport(found);
    say(
      found.works
        ? `Clients on pages of ${origin} work.`
        : `Clients on pages of ${origin} do not work: see the rules.`,
    );
  };
  return (
    <section class="card" aria-label="What a browser would see">
      <h3>What a browser would see (CORS)</h3>
      <p class="dim">
        Sends the requests that a browser sends for a page of this origin to <code>{url}</code>, without
        credentials.
      </p>
      <p class="new">
        <label class="name" for="cors-origin">
          Origin of the page
        </label>
        <input
          id="cors-origin"
          type="text"
          value={origin}
          onInput={(event) => setOrigin(event.currentTarget.value)}
        />
        <button type="button" onClick={() => void check().catch(say)}>
          Check
        </button>
      </p>
      {report !== undefined && (
        <>
          <p role="status" class={report.works ? "" : "problem"}>
            {report.works
              ? `A client on a page of ${report.origin} can use this server.`
              : `A client on a page of ${report.origin} cannot use this server.`}
          </p>
          <Verdicts verdicts={report.verdicts} caption="Rules of CORS, in the order of the requests" />
        </>
      )}
    </section>
  );
}
