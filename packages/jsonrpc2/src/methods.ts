/** The parameters and the result of one method. Notifications have no `result`. */
export interface MethodSignature {
  readonly params?: object | undefined;
  readonly result?: unknown;
}

/**
 * A table of methods, for typing:
 * `interface Calculator { add: { params: { a: number; b: number }; result: number } }`.
 */
export type MethodMap<T> = { readonly [M in keyof T]: MethodSignature };

/** Any method, with parameters and results of any shape. */
export interface AnyMethods {
  readonly [method: string]: { readonly params?: object; readonly result: unknown };
}

/** The parameters of a method in a table. */
export type ParamsOf<T, M extends keyof T> = T[M] extends { readonly params?: infer P }
  ? P & (object | undefined)
  : never;

/** The result of a method in a table. */
export type ResultOf<T, M extends keyof T> = T[M] extends { readonly result: infer R } ? R : undefined;
