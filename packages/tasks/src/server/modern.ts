import { isRecord } from "@tenon/base";
import type { ExtensionRequest, Server } from "@tenon/mcp";

import type { TaskWatch } from "../engine/contract.ts";
import type { TaskSnapshot } from "../engine/snapshot.ts";
import { unknownTask } from "../legacy/requests.ts";
import { cancelTask, getTask, taskChanged, updateTask } from "../wire/messages.ts";
import type { TaskServer } from "./call.ts";
import { checkAnswers } from "./check-answers.ts";
import { detailedTask } from "./forms.ts";

/** How long a handler may take to end after its task was cancelled, in milliseconds. */
const graceMs = 5000;

/**
 * Serves the extension of 2026-07-28: the requests about tasks, and notifications to those who
 * listen to a task.
 *
 * @source R-694…R-708
 */
export function serveModern({ engine, host, ownerOf, polled }: TaskServer, server: Server): void {
  host.addResultType("tools/call", "task");
  server.addMethod(getTask, async ({ taskId }, request) => {
    const task = await known(taskId, engine.get(taskId, ownerOf(request)));
    polled(task.id);
    return detailedTask(task);
  });
  server.addMethod(updateTask, async ({ taskId, inputResponses }, request) => {
    const answers = isRecord(inputResponses) ? inputResponses : {};
    const owner = ownerOf(request);
    await checkAnswers(host, await known(taskId, engine.get(taskId, owner)), answers, request);
    await known(taskId, engine.update(taskId, owner, answers));
    return {};
  });
  server.addMethod(cancelTask, async ({ taskId }, request) => {
    await known(taskId, engine.cancel(taskId, ownerOf(request), { graceMs }));
    return {};
  });
  const watches = new Map<ExtensionRequest, TaskWatch>();
  host.addFilter("taskIds", {
    accept: async (ids, request) => {
      const watch = await engine.watch(ids, ownerOf(request), (task) => {
        host.publish("taskIds", task.id, taskChanged, detailedTask(task));
      });
      watches.set(request, watch);
      return watch.ids;
    },
    release: (request) => {
      const watch = watches.get(request);
      watches.delete(request);
      watch?.close().catch(host.onError);
    },
  });
}

async function known(id: string, found: Promise<TaskSnapshot | undefined>): Promise<TaskSnapshot> {
  const task = await found;
  if (task === undefined) {
    throw unknownTask(id);
  }
  return task;
}
