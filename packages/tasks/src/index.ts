/**
 * Long-running tasks: an engine with a journal, and the contract of its stores. See the package
 * README for a tour.
 *
 * @packageDocumentation
 */

export type { TaskClock } from "./clock.ts";
export type { AskOptions, TaskContext } from "./engine/context.ts";
export type { TaskEngine, TaskPage, TaskWatch } from "./engine/contract.ts";
export type { BackendState, BackendTask, TaskBackend, TaskDefinition } from "./engine/definition.ts";
export { createTaskEngine } from "./engine/engine.ts";
export type {
  CancelOptions,
  CloseEngineOptions,
  ListTasksOptions,
  ResumeOptions,
  StartOptions,
  TaskEngineLimits,
  TaskEngineOptions,
} from "./engine/options.ts";
export type { TaskFailure, TaskOutcome, TaskSnapshot } from "./engine/snapshot.ts";
export { isTaskError, TaskError, taskErrors, type TaskErrorCode } from "./error.ts";
export type {
  ClaimRequest,
  LeaseRequest,
  ListPosition,
  Swept,
  TaskCounts,
  TaskStore,
  UpdateCondition,
  UpdateRefusal,
} from "./store/contract.ts";
export { createMemoryTaskStore, type MemoryTaskStoreOptions } from "./store/memory.ts";
export {
  isFinal,
  type JournalEntry,
  type JsonText,
  type NewTask,
  type TaskPatch,
  type TaskRecord,
  type TaskState,
} from "./store/record.ts";
export type { TaskStoreLimits } from "./store/limits.ts";
