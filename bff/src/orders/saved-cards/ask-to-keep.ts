import type { GivenConsent } from "../../contract/orders.ts";
import { tenantOf } from "../../patients/beneficiary.ts";
import { findShownText } from "../../patients/consent-texts.ts";
import { recordConsents } from "../../patients/consents.ts";
import { findBeneficiary } from "../../patients/patients.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import type { OrderCard, OrderRecord } from "../order-record.ts";
import { insertAsked } from "./saved-card-store.ts";

interface AddedCard {
  readonly provider: Provider;
  readonly order: OrderRecord;
  readonly card: OrderCard;
  readonly consents: readonly GivenConsent[];
  readonly ip: string;
  readonly userAgent: string | null;
  readonly now: Date;
}

/**
 * Records whether to save the card that was added to an order, with the patient's consent. `replaceCard` has deleted
 * the request for the previous card.
 */
export async function askForNewCard(
  { ids, patient: { shownTexts } }: Pick<OrdersDependencies, "ids" | "patient">,
  tx: Transaction,
  { provider, order, card, consents, ip, userAgent, now }: AddedCard,
): Promise<void> {
  const accepted = consents.filter((given) => given.purpose === "saved_card" && findShownText(given) !== null);
  const { providerId, orderId } = order;
  if (accepted.length === 0 || !provider.settings.knownPatients) return;
  const { rut } = order.customer;
  const patient = await findBeneficiary(tx, { tenant: tenantOf(provider), rut });
  if (patient === null) return;
  const shown = shownTexts({ providerId, orderId });
  await recordConsents(tx, ids, accepted, { providerId, orderId, rut, shown, acceptedAt: now, ip, userAgent });
  const { id: cardId, brand, last4, expMonth, expYear } = card;
  const digits = { brand, last4, expMonth, expYear };
  await insertAsked(tx, { id: ids.uuid(), beneficiaryId: patient.id, providerId, orderId, cardId, ...digits }, now);
}
