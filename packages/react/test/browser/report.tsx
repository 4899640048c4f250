/** @jsxImportSource react */
/** @jsxRuntime automatic */
// #region report
import { textOf, type Client } from "@tenon/mcp/client";
import { useServer } from "@tenon/react";
import { useTask } from "@tenon/react/tasks";
import { taskClient } from "@tenon/tasks/client";
import { useEffect, type ReactElement } from "react";

const info = { name: "reports", version: "1.0.0" };
const prepare = (client: Client): void => client.use(taskClient());

export function Report({ url }: { readonly url: string }): ReactElement {
  const server = useServer(url, { info, prepare });
  const key = `report at ${url}`;
  const stored = localStorage.getItem(key) ?? undefined;
  const report = useTask(server, "report", { taskId: stored });
  const { status, taskId, task, result } = report;
  useEffect(() => {
    if (taskId === undefined) {
      localStorage.removeItem(key);
    } else {
      localStorage.setItem(key, taskId);
    }
  }, [key, taskId]);
  return (
    <main>
      <button onClick={() => void report.start({ topic: "tea" })}>Write a report</button>
      {status === "running" && <button onClick={report.cancel}>Cancel</button>}
      <p>{task?.statusMessage ?? status}</p>
      {result && <output>{textOf(result)}</output>}
    </main>
  );
}
// #endregion report
