/** The agreement that a payment accepts: the operator's texts, filled with the figures of the order. */

import type { Agreement, FilledText } from "../contract/agreement.ts";
import type { Quote } from "../contract/quote.ts";
import { type LegalTextName, legalTextKindSchema } from "../contract/vocabulary/legal-text.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Environment, Provider } from "../platform/provider.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { nameOfClinic } from "../tenants/centers.ts";
import { agreementValues, type KeptAgreement } from "./agreement/agreement-values.ts";
import { fillText } from "./agreement/fill-text.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { selectNamedTexts } from "./legal-text-store.ts";
import { presentTexts } from "./legal-texts.ts";
import { isPayable } from "./order.ts";
import type { OrderRecord } from "./order-record.ts";
import type { OrderKey } from "./order-store.ts";
import { readAccepted } from "./payments/payment-store.ts";
import { shownQuote } from "./quote.ts";
import { type IncludedStampTax, stampTaxIn } from "./stamp-tax.ts";

export type AgreementDependencies = Pick<OrdersDependencies, "db" | "financingProvider" | "annualCost" | "stampTax">;

export interface AgreementRequest {
  readonly provider: Provider;
  readonly order: OrderRecord;
  /** The language for texts that have not been agreed to yet. */
  readonly locale: Locale;
  readonly now: Date;
}

/** What a payment of an order accepts. */
interface Offered {
  readonly agreement: KeptAgreement;
  readonly quote: Quote;
  /** The stamp tax that the agreement names as part of the commission. */
  readonly stampTax: IncludedStampTax | null;
}

/** The agreement that a payment of this order would accept now, and the quote shown with it. */
export async function agreementAt(
  { db, financingProvider, annualCost, stampTax: terms }: AgreementDependencies,
  { provider, order, texts, locale, now }: AgreementRequest & { readonly texts: LegalTextName[] },
): Promise<Offered> {
  const name = await nameOfClinic(db, provider, order.center);
  const { total, commissionBasisPoints, commissionTax } = order;
  const offer = { total, commissionBasisPoints, commissionTax, financingProvider: financingProvider.name, annualCost };
  const quote = shownQuote({ ...offer, now }, texts);
  const clinic = {
    name,
    rut: order.center?.rut ?? provider.rut,
    supportEmail: provider.supportEmail,
  };
  const { commission, later: lent, latest_due_date: to } = quote;
  const included = stampTaxIn(terms, { regime: commissionTax.regime, commission, lent, from: santiagoDay(now), to });
  return {
    agreement: {
      locale,
      texts,
      values: agreementValues({ clinic, order, quote, stampTax: { terms, included }, now }, locale),
    },
    quote,
    stampTax: included,
  };
}

/**
 * The agreement of an order, word for word as the patient saw it; before a payment, the one they would accept. Throws
 * 409 `order_not_payable` if there is neither, and 503 `service_unavailable` while operator texts are missing.
 */
export async function readAgreement(
  dependencies: AgreementDependencies,
  request: AgreementRequest,
): Promise<Agreement> {
  const { db } = dependencies;
  const { environment } = request.provider;
  const { agreed } = await readAccepted(db, request.order);
  if (agreed !== null) {
    return { agreed_at: agreed.at.toISOString(), texts: await fillTexts(db, environment, agreed.agreement) };
  }
  if (!isPayable(request.order.state)) throw new ApiError("order_not_payable");
  const texts = await presentTexts(db, environment);
  const { agreement } = await agreementAt(dependencies, { ...request, texts });
  return { agreed_at: null, texts: await fillTexts(db, environment, agreement) };
}

/** The filled texts that a patient accepted with a successful payment; null if they were not stored. */
export async function agreedTexts(
  db: Database,
  environment: Environment,
  order: OrderKey,
): Promise<{ readonly at: Date; readonly texts: FilledText[] } | null> {
  const { agreed } = await readAccepted(db, order);
  return agreed === null ? null : { at: agreed.at, texts: await fillTexts(db, environment, agreed.agreement) };
}

async function fillTexts(
  db: Database,
  environment: Environment,
  { texts, locale, values }: KeptAgreement,
): Promise<FilledText[]> {
  const found = await selectNamedTexts(db, texts, { environment, locale });
  return legalTextKindSchema.options.flatMap((kind) =>
    found
      .filter((each) => each.kind === kind)
      .map((each) => {
        const { title, blocks } = fillText(each.text, values);
        return { kind, version: each.version, locale: each.locale, title, blocks: [...blocks] };
      }),
  );
}
