/** @jsxImportSource react */
/** @jsxRuntime automatic */
// #region shop
import { textOf } from "@tenon/mcp/client";
import { useCall, useServer, useTools, type FormInput } from "@tenon/react";
import type { ReactElement } from "react";

const info = { name: "shop", version: "1.0.0" };

export function Shop({ url }: { readonly url: string }): ReactElement {
  const server = useServer(url, { info, inputs: ["form"] });
  const tools = useTools(server);
  const order = useCall(server, "order");
  return (
    <main>
      <p>The server is {server.status}.</p>
      <ul>
        {tools.value?.map(({ name }) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
      <button disabled={order.status === "running"} onClick={() => void order.call({ item: "tea" })}>
        Order tea
      </button>
      {order.status === "running" && <button onClick={order.cancel}>Cancel</button>}
      {order.progress && <progress value={order.progress.progress} max={order.progress.total} />}
      {order.result && <output>{textOf(order.result)}</output>}
      {server.inputs.map((input) => input.kind === "form" && <Question key={input.key} input={input} />)}
    </main>
  );
}

function Question({ input }: { readonly input: FormInput }): ReactElement {
  const { message, requestedSchema } = input.params;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        input.accept(Object.fromEntries(fields) as Record<string, string>);
      }}
    >
      <p>{message}</p>
      {Object.keys(requestedSchema.properties).map((name) => (
        <label key={name}>
          {name} <input name={name} />
        </label>
      ))}
      <button>Send</button>
      <button type="button" onClick={input.decline}>
        Decline
      </button>
    </form>
  );
}
// #endregion shop
