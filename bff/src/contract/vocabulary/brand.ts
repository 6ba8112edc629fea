declare const brand: unique symbol;

/** A value that its parser has checked. Only that parser makes such values, so nothing is checked twice. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };
