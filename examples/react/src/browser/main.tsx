/** @jsxImportSource react */
/** @jsxRuntime automatic */
// A page that orders a cake. Load it again while the cake is in the oven: it follows the same task.
// #region page
import { useServer, type FormInput } from "@tenon/react";
import { useTask } from "@tenon/react/tasks";
import { textOf, type Client } from "@tenon/sdk/client";
import { taskClient } from "@tenon/tasks/client";
import { StrictMode, useEffect, type ReactElement } from "react";
import { createRoot } from "react-dom/client";

const { endpoint = "http://localhost:3000/mcp" } = document.body.dataset;
const info = { name: "page", version: "1.0.0" };
const prepare = (client: Client): void => client.use(taskClient());

function Bakery(): ReactElement {
  const server = useServer(endpoint, { info, inputs: ["form"], prepare });
  const cake = useTask(server, "bake", { taskId: sessionStorage["cake"] || undefined });
  const { status, taskId = "", task, result, error } = cake;
  useEffect(() => {
    sessionStorage["cake"] = taskId;
  }, [taskId]);
  return (
    <main>
      <p>
        The bakery is {server.status}, the cake is {status}.
      </p>
      <button disabled={server.status !== "ready" || taskId !== ""} onClick={() => void cake.start()}>
        Order a cake
      </button>
      <button disabled={taskId === ""} onClick={cake.cancel}>
        Cancel
      </button>
      {status === "running" && <p>{task?.statusMessage}</p>}
      {server.inputs.map((input) => input.kind === "form" && <Question key={input.key} input={input} />)}
      <output>
        {status === "done" && result ? textOf(result) : error instanceof Error && error.message}
      </output>
    </main>
  );
}

function Question({ input }: { readonly input: FormInput }): ReactElement {
  return (
    <p>
      {input.params.message}
      {["chocolate", "lemon"].map((icing) => (
        <button key={icing} onClick={() => input.accept({ icing })}>
          {icing}
        </button>
      ))}
      <button onClick={input.decline}>none</button>
    </p>
  );
}

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <StrictMode>
    <Bakery />
  </StrictMode>,
);
// #endregion page
