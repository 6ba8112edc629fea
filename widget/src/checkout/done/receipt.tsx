import type { PatientOrder } from "bff/contract/orders";
import { receiptAmounts } from "bff/contract/receipt-amounts";
import { formatRut, readRut } from "bff/contract/vocabulary/rut";
import { Amounts } from "../../design/amounts.tsx";
import { billRows } from "../../design/bill-rows.ts";
import { Fold } from "../../design/fold.tsx";
import { formatPesos } from "../../words/format.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName } from "../card/card-brand.tsx";
import styles from "./receipt.module.css";

export interface ReceiptProps {
  readonly order: PatientOrder;
  readonly providerName: string;
  /** Shown again with a used token, so nothing was paid just now. */
  readonly isOutcome: boolean;
}

/** The receipt: amount, clinic and card, to print or save as a PDF. */
export function Receipt({ order, providerName, isOutcome }: ReceiptProps) {
  const words = useAllWords();
  const { customer, payment_method: card } = order;
  const { price, cancelled, first, deferred, commission, total, returned } = receiptAmounts(order);
  const { percentage, regime } = order.plan.data.commission;
  const paid = isOutcome ? words.done.paid : words.done.paidToday;
  const rut = readRut(customer.rut);
  return (
    <section className={styles.receipt} aria-labelledby="receipt-heading">
      <div className={styles.paid}>
        <h2 className={styles.soft} id="receipt-heading">
          {words.done.receipt} · {paid}
        </h2>
        <p className={styles.amount}>{formatPesos(first)}</p>
        {order.paid_at === null ? null : <p className={styles.soft}>{words.moment(order.paid_at)}</p>}
      </div>
      <Fold title={words.done.details}>
        <Amounts
          rows={[
            { label: words.done.clinic, text: providerName },
            { label: words.done.reference, text: order.reference },
            { label: words.done.patient, text: `${customer.first_name} ${customer.last_name}` },
            { label: words.done.rut, rut: rut === null ? customer.rut : formatRut(rut) },
            ...(card === null
              ? []
              : [{ label: words.done.card, text: words.review.cardEnds(brandName(card.brand), card.last4) }]),
          ]}
        />
        {order.items === undefined ? null : <Amounts rows={billRows(order.items)} />}
        <Amounts
          rows={[
            { label: words.done.service, pesos: price },
            ...(cancelled > 0 ? [{ label: words.done.cut, pesos: -cancelled }] : []),
            { label: paid, pesos: first },
            { label: words.done.financed, pesos: deferred },
            {
              label: words.summary.commission(words.percentage(percentage), regime),
              pesos: commission,
            },
            { label: words.summary.total, pesos: total, weight: "total" },
            ...(returned > 0 ? [{ label: words.done.returned, pesos: returned, weight: "total" as const }] : []),
          ]}
        />
      </Fold>
    </section>
  );
}
