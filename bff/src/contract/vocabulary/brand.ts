declare const brand: unique symbol;

/** A value that has passed its parser. Only the parser of its kind makes one, so that nothing is checked twice. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };
