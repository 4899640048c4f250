import {
  checkOptionNames,
  errorSink,
  readLimits,
  systemClock,
  type Clock,
  type LimitRules,
} from "@tenon/base";
import type { StructuredLogger } from "@tenon/mcp";

/** Limits of the lines of a logger. */
export interface LineLimits {
  /** Lines of one kind in one interval. Further lines are counted. Default: `10`. */
  readonly maxLines?: number | undefined;
  /** The interval, in milliseconds. Default: `10_000`. */
  readonly intervalMs?: number | undefined;
}

const lineLimits: LimitRules<LineLimits> = { maxLines: [10, 1], intervalMs: [10_000, 1] };

/** Options of {@link limitLines}. */
export interface LimitLinesOptions {
  /** Limits of the lines. Each limit has its own default. */
  readonly limits?: LineLimits | undefined;
  /** Measures the intervals. By default the clock of the system. */
  readonly clock?: Clock | undefined;
  /**
   * Receives the errors of the logger for lines with numbers. Its other errors are thrown by the
   * methods. Default: `console.error`.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A logger of {@link limitLines}. */
export interface LimitedLogger extends StructuredLogger, AsyncDisposable {
  /**
   * Writes the numbers of the lines that were not written in the present intervals, which end. Call
   * it before the process exits. Lines that follow are limited as before.
   */
  close(): Promise<void>;
}

/** Kinds of lines that are counted separately. All further kinds share one count. */
const maxKinds = 1_000;

/** The name of a method of a logger. */
type Level = keyof StructuredLogger;

/** The lines of one kind in the present interval. */
interface Count {
  written: number;
  suppressed: number;
  /** The timer of the end of the interval. */
  timer: unknown;
  /** Ends the interval and writes the number. */
  readonly report: () => void;
}

/**
 * Wraps a logger so that an outage does not fill the disk: of the lines of one kind, 10 are written
 * in 10 seconds. At the end of the interval one line reports the others, with their number as the
 * field `suppressed`. Lines have the same kind if they have the same level, the same message, and
 * the same message of the error in the field `err`. The timers do not keep the process alive:
 * `close` reports the lines of the last intervals.
 *
 * @throws `TypeError` for options that do not exist, and for limits out of range.
 */
export function limitLines(logger: StructuredLogger, options: LimitLinesOptions = {}): LimitedLogger {
  checkOptionNames("limitLines", options, "limits clock onError", lineLimits);
  const { maxLines, intervalMs } = readLimits(options.limits, lineLimits);
  const { clock = systemClock } = options;
  const onError = errorSink(options.onError);
  const counts = new Map<string, Count>();
  const log = (level: Level, fields: object, message: string): void => {
    const kind = kindOf(level, fields, message);
    const key = counts.has(kind) || counts.size < maxKinds ? kind : "";
    let count = counts.get(key);
    if (count === undefined) {
      const begun: Count = {
        written: 0,
        suppressed: 0,
        timer: undefined,
        report: () => {
          counts.delete(key);
          const { suppressed } = begun;
          if (suppressed === 0) {
            return;
          }
          try {
            logger[level](
              { suppressed, intervalMs },
              key === "" ? "Further lines were suppressed." : message,
            );
          } catch (error) {
            onError(error);
          }
        },
      };
      count = begun;
      counts.set(key, begun);
      begun.timer = clock.setTimeout(begun.report, intervalMs, false);
    }
    if (count.written < maxLines) {
      count.written++;
      logger[level](fields, message);
    } else {
      count.suppressed++;
    }
  };
  const close = async (): Promise<void> => {
    for (const { timer, report } of [...counts.values()]) {
      clock.clearTimeout(timer);
      report();
    }
  };
  return {
    close,
    [Symbol.asyncDispose]: close,
    info: (fields, message) => log("info", fields, message),
    warn: (fields, message) => log("warn", fields, message),
    error: (fields, message) => log("error", fields, message),
  };
}

function kindOf(level: string, fields: object, message: string): string {
  const error: unknown = "err" in fields ? fields.err : undefined;
  const reason = error instanceof Error ? error.message : "";
  return JSON.stringify([level, message, reason]).slice(0, 500);
}
