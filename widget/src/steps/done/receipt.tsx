import type { PatientOrder } from "bff/contract/orders";
import { formatRut, readRut } from "bff/contract/vocabulary/rut";
import { Amounts } from "../../design/amounts.tsx";
import { formatPesos } from "../../words/format.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName } from "../card/card-brand.tsx";
import styles from "./receipt.module.css";

/** What was paid, to whom and with what: to keep, to print, to save as a PDF. */
export function Receipt({ order, providerName }: { readonly order: PatientOrder; readonly providerName: string }) {
  const words = useAllWords();
  const [today, later] = order.plan.data.installments;
  const { commission } = order.plan.data;
  const { customer, payment_method: card } = order;
  const rut = readRut(customer.rut);
  return (
    <section className={styles.receipt} aria-labelledby="receipt-heading">
      <div className={styles.paid}>
        <h2 className={styles.soft} id="receipt-heading">
          {words.done.receipt} · {words.done.paidToday}
        </h2>
        <p className={styles.amount}>{formatPesos(today.amount)}</p>
        <p className={styles.soft}>{words.moment(order.updated_at)}</p>
      </div>
      <Amounts
        rows={[
          { label: words.done.clinic, value: providerName },
          { label: words.done.reference, value: order.reference },
          { label: words.done.patient, value: `${customer.first_name} ${customer.last_name}` },
          { label: words.done.rut, value: rut === null ? customer.rut : formatRut(rut) },
          ...(card === null ? [] : [{ label: words.done.card, value: `${brandName(card.brand)} •••• ${card.last4}` }]),
        ]}
      />
      <Amounts
        rows={[
          { label: words.done.service, value: formatPesos(order.total_amount) },
          { label: words.done.paidToday, value: formatPesos(today.amount) },
          { label: words.summary.deferredPart, value: formatPesos(later.amount) },
          {
            label: words.summary.commission(words.percentage(commission.percentage)),
            value: formatPesos(commission.amount),
          },
          { label: words.summary.total, value: formatPesos(order.total_amount + commission.amount), weight: "total" },
          ...(order.refunded_amount > 0
            ? [{ label: words.done.refunded, value: formatPesos(order.refunded_amount), weight: "total" as const }]
            : []),
        ]}
      />
    </section>
  );
}
