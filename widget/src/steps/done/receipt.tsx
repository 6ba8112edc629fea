import type { PatientOrder } from "bff/contract/orders";
import { addClp, type Clp, subtractClp, ZERO } from "bff/contract/vocabulary/clp";
import { formatRut, readRut } from "bff/contract/vocabulary/rut";
import { Amounts } from "../../design/amounts.tsx";
import { formatPesos } from "../../words/format.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName } from "../card/card-brand.tsx";
import styles from "./receipt.module.css";

/** The second instalment, without what refunds took off it before it was charged. */
export function restOf({ plan, deferred_cancelled }: PatientOrder): Clp {
  return subtractClp(plan.data.installments[1].amount, deferred_cancelled);
}

export interface ReceiptProps {
  readonly order: PatientOrder;
  readonly providerName: string;
  /** Seen again, with a token that has been used: nothing was paid just now. */
  readonly isOutcome: boolean;
}

/** What was paid, to whom and with what: to keep, to print, to save as a PDF. */
export function Receipt({ order, providerName, isOutcome }: ReceiptProps) {
  const words = useAllWords();
  const [today] = order.plan.data.installments;
  const { customer, payment_method: card, deferred_cancelled: cut, returned_amount: returned } = order;
  const { percentage, regime } = order.plan.data.commission;
  const paid = isOutcome ? words.done.paid : words.done.paidToday;
  const rest = restOf(order);
  const total = totalOf(order);
  const rut = readRut(customer.rut);
  return (
    <section className={styles.receipt} aria-labelledby="receipt-heading">
      <div className={styles.paid}>
        <h2 className={styles.soft} id="receipt-heading">
          {words.done.receipt} · {paid}
        </h2>
        <p className={styles.amount}>{formatPesos(today.amount)}</p>
        {order.paid_at === null ? null : <p className={styles.soft}>{words.moment(order.paid_at)}</p>}
      </div>
      <Amounts
        rows={[
          { label: words.done.clinic, value: providerName },
          { label: words.done.reference, value: order.reference },
          { label: words.done.patient, value: `${customer.first_name} ${customer.last_name}` },
          { label: words.done.rut, value: rut === null ? customer.rut : formatRut(rut) },
          ...(card === null
            ? []
            : [{ label: words.done.card, value: `${brandName(card.brand)} •••• ${card.last4}`.trim() }]),
        ]}
      />
      <Amounts
        rows={[
          { label: words.done.service, value: formatPesos(order.total_amount) },
          ...(cut > 0 ? [{ label: words.done.cut, value: formatPesos(-cut) }] : []),
          { label: paid, value: formatPesos(today.amount) },
          { label: words.summary.deferredPart, value: formatPesos(rest) },
          {
            label: words.summary.commission(words.percentage(percentage), regime),
            value: formatPesos(total - today.amount - rest),
          },
          { label: words.summary.total, value: formatPesos(total), weight: "total" },
          ...(returned > 0
            ? [{ label: words.done.returned, value: formatPesos(returned), weight: "total" as const }]
            : []),
        ]}
      />
    </section>
  );
}

/** What the patient pays in all: what was charged or paid in another way, and what is still to be. */
export function totalOf(order: PatientOrder): Clp {
  const { installments, commission } = order.plan.data;
  const [today, later] = installments;
  const isOpen = later.status === "pending" || later.status === "scheduled" || later.status === "failed";
  return isOpen
    ? addClp(today.amount, restOf(order), commission.amount)
    : addClp(order.captured_amount, order.paid_otherwise ?? ZERO);
}
