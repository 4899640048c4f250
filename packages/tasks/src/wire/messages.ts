import {
  defineMethod,
  defineNotification,
  type MethodDefinition,
  type NotificationDefinition,
} from "@tenon/mcp";

/** The name of the extension. @source R-694 */
export const extension = "io.modelcontextprotocol/tasks";

/** The key of `_meta` that relates a message to a task in 2025-11-25. @source R-676 */
export const relatedTask = "io.modelcontextprotocol/related-task";

/** The key of a task's `_meta` with the progress of its run. */
export const progressKey = "dev.tenon/progress";

/** The key of a call's `_meta` that identifies the call, so that it can be repeated. */
export const idempotencyKey = "dev.tenon/idempotency-key";

/** The key of `_meta` with a text for the model, in 2025-11-25. @source R-671 */
export const immediateResponse = "io.modelcontextprotocol/model-immediate-response";

const taskId = { type: "string", minLength: 1, maxLength: 256 } as const;

interface TaskParams {
  readonly type: "object";
  readonly properties: { readonly taskId: typeof taskId };
  readonly required: readonly ["taskId"];
}

interface UpdateParams {
  readonly type: "object";
  readonly properties: {
    readonly taskId: typeof taskId;
    readonly inputResponses: { readonly type: "object" };
  };
  readonly required: readonly ["taskId", "inputResponses"];
}

const byId: TaskParams = { type: "object", properties: { taskId }, required: ["taskId"] };

/** Returns a task and, if it has ended, its result. */
export const getTask: MethodDefinition<TaskParams> = defineMethod({
  method: "tasks/get",
  extension,
  eras: ["modern"],
  header: "taskId",
  params: byId,
});

/** Sends responses to the input requests of a task. */
export const updateTask: MethodDefinition<UpdateParams> = defineMethod({
  method: "tasks/update",
  extension,
  eras: ["modern"],
  header: "taskId",
  params: {
    type: "object",
    properties: { taskId, inputResponses: { type: "object" } },
    required: ["taskId", "inputResponses"],
  },
});

/** Requests the cancellation of a task. */
export const cancelTask: MethodDefinition<TaskParams> = defineMethod({
  method: "tasks/cancel",
  extension,
  eras: ["modern"],
  header: "taskId",
  params: byId,
});

/** Sends the new state of a task to the clients that listen to it. */
export const taskChanged: NotificationDefinition = defineNotification({
  method: "notifications/tasks",
  extension,
  eras: ["modern"],
});
