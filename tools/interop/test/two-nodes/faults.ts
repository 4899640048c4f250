import { StoreError } from "@tenon/stores";

/** The condition of a shared store, as the nodes see it. */
export type Condition =
  /** It responds at once. */
  | "calm"
  /** Each operation takes 200 ms. */
  | "slow"
  /** Each operation is refused. */
  | "gone"
  /** No operation settles, before the store is back. */
  | "silent";

/** One operation of a store: a call, or a message of the bus. */
export interface Operation {
  /** Such as `sessions.create`; messages of the bus are `bus.deliver`. */
  readonly name: string;
  readonly node: number;
}

/** What happens to one operation in particular. */
export type Fault = "lose" | "lose the result" | "double" | "delay";

/** Lets operations of stores through, as the condition and the faults say. */
export class StoreGate {
  condition: Condition = "calm";
  /** The operations so far, in their order. */
  readonly operations: Operation[] = [];
  /** Chooses the operation that gets a fault. */
  faultOf: (operation: Operation, index: number) => Fault | undefined = () => undefined;
  readonly #waiting = new Set<() => void>();

  /** Ends the condition: what was held back goes on. */
  restore(): void {
    this.condition = "calm";
    this.#waiting.forEach((resume) => resume());
    this.#waiting.clear();
  }

  /** Runs an operation. */
  async run<T>(operation: Operation, perform: () => Promise<T>): Promise<T> {
    const index = this.operations.push(operation) - 1;
    switch (this.faultOf(operation, index)) {
      case "lose":
        throw new StoreError("STORE_FAILED", `${operation.name} was lost.`);
      case "lose the result":
        await perform();
        throw new StoreError("STORE_FAILED", `The result of ${operation.name} was lost.`);
      case "double":
        await perform();
        return perform();
      case "delay":
        await turns(40);
        return perform();
      case undefined:
    }
    await this.#pass();
    return perform();
  }

  async #pass(): Promise<void> {
    if (this.condition === "gone") {
      throw new StoreError("STORE_FAILED", "The store is gone.");
    }
    if (this.condition === "silent") {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    if (this.condition === "slow") {
      await pause(200);
    }
  }
}

/** Lets everything else that is ready run, so many times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Waits for a time in milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Puts a gate before every method of a store, for one node. */
export function gated<S extends object>(store: S, part: string, gate: StoreGate, node: number): S {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function" || typeof name !== "string" || name === "close") {
        return value;
      }
      const operation = { name: `${part}.${name}`, node };
      if (name === "readAfter") {
        return async function* (...args: unknown[]): AsyncGenerator {
          await gate.run(operation, () => Promise.resolve());
          yield* Reflect.apply(value, target, args) as AsyncIterable<unknown>;
        };
      }
      return (...args: unknown[]) => {
        const given = args.map((each) => heard(each, operation.name));
        return gate.run(operation, () => Reflect.apply(value, target, given) as Promise<unknown>);
      };
    },
  });

  /** What the store calls when something arrives. */
  function heard(argument: unknown, operation: string): unknown {
    if (operation !== "bus.subscribe" || typeof argument !== "object" || argument === null) {
      return argument;
    }
    const { message, gap } = argument as { message(text: string): void; gap(): void };
    return {
      message: (text: string) => {
        const deliver = (): Promise<void> => {
          message(text);
          return Promise.resolve();
        };
        gate.run({ name: "bus.deliver", node }, deliver).catch(() => undefined);
      },
      gap,
    };
  }
}
