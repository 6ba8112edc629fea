import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { TaxIssuer } from "../../contract/vocabulary/commission-tax.ts";
import { formatRut } from "../../contract/vocabulary/rut.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import { aboutOrder } from "../order-reads.ts";
import type { OrderRecord, TaxDocumentKind } from "../order-record.ts";

/** Sends the patient the number and address of a tax document, in the transaction that records it as issued. */
export async function notifyDocument(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  issued: {
    readonly provider: Provider;
    readonly order: OrderRecord;
    readonly issuer: TaxIssuer;
    readonly isExempt: boolean;
    readonly document: {
      readonly kind: TaxDocumentKind;
      readonly sourceId: string;
      /** The number of the document that it replaces, which the tax authority rejected. */
      readonly rejectedNumber: string | null;
      readonly number: string;
      readonly url: string;
      readonly amount: Clp;
      readonly vat: Clp;
    };
  },
): Promise<void> {
  const { provider, order, issuer, isExempt, document } = issued;
  const { kind, sourceId, rejectedNumber, number, url, amount, vat } = document;
  const about = await aboutOrder(tx, provider, order);
  await notifyPatient(dependencies, tx, {
    provider,
    about,
    cause: `tax_document:${sourceId}${rejectedNumber === null ? "" : `:${number}`}`,
    to: order.customer.email,
    rut: order.customer.rut,
    orderId: order.orderId,
    notification: {
      kind: "tax_document",
      firstName: order.customer.firstName,
      clinic: about.clinic,
      document: kind,
      number,
      url,
      amount,
      vat,
      isExempt,
      issuer: `${issuer.name}, RUT ${formatRut(issuer.rut)}`,
    },
  });
}
