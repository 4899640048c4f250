/** A class whose instances are `T`; abstract classes too. */
export type Class<T = object> = abstract new (...args: never[]) => T;
