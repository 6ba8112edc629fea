import type { PartnerClient } from "bff/partner-client/partner-client";
import { soldIn } from "../scenarios/services.ts";
import { explain, forEach, isRefusedForGood } from "./call-failures.ts";

import { type Happening, owesReceipt, type Purchase } from "./purchase.ts";
import type { PurchaseBook } from "./purchase-book.ts";
import { receiptPdf } from "./receipt-pdf.ts";

export const CLINIC = { name: "Clínica Los Aromos del Sur SpA", rut: "76.900.001-1" } as const;

/** Uses the day in Chile, because from 20:00 or 21:00 in Chile the UTC date is already the next day. */
const DAY_IN_CHILE = new Intl.DateTimeFormat("en-GB", {
  timeZone: "America/Santiago",
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
});

/**
 * Returns the function that submits the receipts that are due: of purchases that are paid and whose receipt is not
 * submitted.
 */
export function createReceipts({
  aapd,
  book,
}: {
  readonly aapd: PartnerClient;
  readonly book: PurchaseBook;
}): () => Promise<void> {
  const submitting = new Map<string, Promise<void>>();

  async function submitReceipt(purchase: Purchase): Promise<void> {
    const service = soldIn(purchase);
    if (service === null || purchase.orderHash === null) return;
    const date = DAY_IN_CHILE.format(new Date(purchase.startedAt));
    const bytes = receiptPdf({
      clinic: CLINIC.name,
      clinicRut: CLINIC.rut,
      number: purchase.reference,
      date,
      patient: `${purchase.firstName} ${purchase.lastName}`,
      patientRut: purchase.rut,
      service: service.name,
      professional: service.professional,
      total: `$${service.priceClp.toLocaleString("es-CL")}`,
    });
    try {
      const expense = await aapd.submitExpense({
        rut: purchase.rut,
        orderHash: purchase.orderHash,
        files: [{ name: "boleta.pdf", type: "application/pdf", bytes }],
        name: `${purchase.firstName} ${purchase.lastName}`,
        date,
        receiptId: purchase.reference,
        receiptRut: CLINIC.rut,
        totalClp: service.priceClp,
        subtypes: [service.subtype],
      });
      const { id: expenseId, status, created } = expense;
      await book.record(purchase.id, { kind: "receipt_submitted", expenseId, status, created });
    } catch (error) {
      await noteUnsubmitted(purchase.id, {
        kind: isRefusedForGood(error) ? "receipt_refused" : "receipt_unanswered",
        message: explain(error),
      });
    }
  }

  /** Records a repeated reason only once, however often the receipt is refused for it. */
  async function noteUnsubmitted(
    id: string,
    why: Extract<Happening, { kind: "receipt_refused" | "receipt_unanswered" }>,
  ): Promise<void> {
    const last = book.get(id).timeline.at(-1)?.happening;
    if (last?.kind !== why.kind || last.message !== why.message) await book.record(id, why);
  }

  return () =>
    forEach(book.all().filter(owesReceipt), async ({ id }) => {
      const running = submitting.get(id);
      if (running !== undefined) return running;
      const purchase = book.get(id);
      // Another call may have submitted the receipt while the ones before it were submitted.
      if (!owesReceipt(purchase)) return;
      const submission = submitReceipt(purchase).finally(() => submitting.delete(id));
      submitting.set(id, submission);
      await submission;
    });
}
