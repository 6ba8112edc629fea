import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import type { RegisteredCard } from "../../gateways/card-processor/port.ts";
import type { OrderCard } from "../order-record.ts";

/** A card that the processor has registered, as an order keeps it. */
export function registeredCard({ id, brand, last4, expMonth, expYear, kind, holderName }: RegisteredCard): OrderCard {
  // Some type the card's number where its holder belongs, and the processor tells it back.
  return { id, brand, last4, expMonth, expYear, holderName: withoutCardNumber(holderName), kind };
}
