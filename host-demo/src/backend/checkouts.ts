import type { MintWidgetTokenRequest, MintWidgetTokenResponse } from "bff/contract/widget-tokens";
import type { PartnerClient } from "bff/partner-client/partner-client";
import { soldIn } from "../scenarios/services.ts";
import { explain, isRefusal } from "./call-failures.ts";
import type { Purchase } from "./purchase.ts";
import type { PurchaseBook } from "./purchase-book.ts";

export const PAY_WITHIN_MINUTES = 60;

/** Creates orders and mints the widget tokens with which patients open the checkout. */
export interface Checkouts {
  /** The order of a purchase, created now if the service did not answer before. */
  orderOf(purchase: Purchase): Promise<string>;
  /** Mints a widget token for the purchase's order; `how`: with a QR code, or mailed to the patient. */
  mint(purchase: Purchase, how?: Pick<MintWidgetTokenRequest, "qr" | "deliver">): Promise<MintWidgetTokenResponse>;
}

export function createCheckouts({
  aapd,
  book,
  parentOrigin,
}: {
  readonly aapd: PartnerClient;
  readonly book: PurchaseBook;
  readonly parentOrigin: () => string;
}): Checkouts {
  async function createOrder(purchase: Purchase): Promise<string> {
    const service = soldIn(purchase);
    const wish = {
      reference: purchase.reference,
      total_amount: service?.priceClp ?? 0,
      ...(service?.items === undefined ? {} : { items: [...service.items] }),
      customer: {
        rut: purchase.rut,
        first_name: purchase.firstName,
        last_name: purchase.lastName,
        email: purchase.email,
        phone_number: purchase.phone,
      },
    };
    // The key is our own id of the purchase: if this process dies before the answer is recorded, the repeated call
    // finds the same order.
    const order = await aapd.createOrder(wish, { idempotencyKey: purchase.id }).catch(async (error: unknown) => {
      const kind = isRefusal(error) ? "order_refused" : "order_unanswered";
      await book.record(purchase.id, { kind, message: explain(error) });
      throw error;
    });
    await book.record(purchase.id, { kind: "order_created", orderHash: order.hash, reference: order.reference });
    return order.hash;
  }

  const orderOf = async (purchase: Purchase) => purchase.orderHash ?? createOrder(purchase);

  return {
    orderOf,
    async mint(purchase, how = {}) {
      const wish = {
        order_token: await orderOf(purchase),
        rut: purchase.rut,
        user_data: {
          name: purchase.firstName,
          surname: purchase.lastName,
          email: purchase.email,
          phone_number: purchase.phone,
          rut: purchase.rut,
        },
        expires_in_minutes: PAY_WITHIN_MINUTES,
        parent_origin: parentOrigin(),
        ...how,
      };
      const minted = await aapd.mintWidgetToken(wish).catch(async (error: unknown) => {
        await book.record(purchase.id, { kind: "widget_token_refused", message: explain(error) });
        throw error;
      });
      await book.record(purchase.id, { kind: "widget_token_minted", expiresAt: minted.expires_at });
      return minted;
    },
  };
}
