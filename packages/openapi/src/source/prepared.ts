import type { ResolvedLimits } from "@tenon/base";
import type { FetchLike } from "@tenon/http/client";

import type { UsedScheme } from "../credentials/apply.ts";
import type { OpenApiLimits } from "../limits.ts";
import type { Operation } from "../operation/operation.ts";
import type { OpenApiOptions, OperationInfo, Paging } from "../options.ts";
import type { SchemaCheck } from "../schema/check.ts";
import type { InputPlan } from "../schema/input.ts";
import type { Accepts } from "../schema/typed-text.ts";
import type { Running } from "./running.ts";

/** The common facts of all operations of a source. */
export interface SourceSetting {
  readonly limits: ResolvedLimits<OpenApiLimits>;
  readonly headers: OpenApiOptions["headers"];
  readonly isStrict: boolean;
  /** Calls in flight, of all operations. */
  readonly running: Running;
  onWarning(message: string): void;
}

/** An operation with all that its calls need. */
export interface Prepared {
  readonly info: OperationInfo;
  readonly operation: Operation;
  readonly plan: InputPlan;
  readonly inputSchema: Record<string, unknown>;
  readonly checkInput: SchemaCheck;
  readonly accepts: Accepts;
  /** As clients see it. */
  readonly outputSchema: Record<string, unknown> | undefined;
  /** Checks against the schema of the document. */
  readonly checkOutput: SchemaCheck | undefined;
  /** Origin and base path, without a slash at its end. */
  readonly base: string;
  readonly fetch: FetchLike;
  readonly schemes: readonly UsedScheme[];
  readonly paging: Paging | undefined;
  readonly setting: SourceSetting;
}
