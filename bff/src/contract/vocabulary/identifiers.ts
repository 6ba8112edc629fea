import * as z from "zod/mini";
import type { Brand } from "./brand.ts";

/** The `hash` of an order, also called `order_token`: a random UUID. */
export type OrderId = Brand<string, "OrderHash">;
/** A temporary widget token: a random UUID; only its hash is stored. */
export type WidgetToken = Brand<string, "WidgetToken">;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isOrderId(text: string): text is OrderId {
  return UUID.test(text);
}

export function isWidgetToken(text: string): text is WidgetToken {
  return UUID.test(text);
}

/** Ignores surrounding whitespace and case; `null` if the text is not a UUID. */
export function readOrderId(text: string): OrderId | null {
  const hash = text.trim().toLowerCase();
  return isOrderId(hash) ? hash : null;
}

/** Ignores surrounding whitespace and case; `null` if the text is not a UUID. */
export function readWidgetToken(text: string): WidgetToken | null {
  const token = text.trim().toLowerCase();
  return isWidgetToken(token) ? token : null;
}

export const orderHashSchema = z.pipe(
  z.string().check(z.maxLength(64)),
  z.transform((text: string, context): OrderId => {
    const hash = readOrderId(text);
    if (hash !== null) return hash;
    context.issues.push({ code: "custom", input: text, message: "must be an order hash (UUID)" });
    return z.NEVER;
  }),
);

export const widgetTokenSchema = z.pipe(
  z.string().check(z.maxLength(64)),
  z.transform((text: string, context): WidgetToken => {
    const token = readWidgetToken(text);
    if (token !== null) return token;
    context.issues.push({ code: "custom", input: text, message: "must be a widget token (UUID)" });
    return z.NEVER;
  }),
);
