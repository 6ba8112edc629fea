import { useRef, useState } from "react";
import type { Purchase } from "../../backend/purchase.ts";
import type { ClaimOutcome } from "../../backend/sandbox.ts";
import { failWebhooks, refund, settleClaim, wordsOf } from "../clinic-api.ts";
import styles from "./actions.module.css";

const OUTCOMES: readonly { readonly outcome: ClaimOutcome; readonly text: string }[] = [
  { outcome: "approve", text: "Aprobar" },
  { outcome: "reject", text: "Rechazar" },
  { outcome: "block", text: "Bloquear el acceso" },
  { outcome: "unblock", text: "Devolver el acceso" },
];

/** How many attempts of a webhook can be made to fail; the service makes six attempts. */
const WEBHOOK_FAILURES = [1, 2, 6] as const;

interface ActionsProps {
  readonly purchase: Purchase | null;
  readonly purchaseId: string;
}

/** Buttons for actions of the clinic, the insurer or a failing receiver; one action at a time. */
export function Actions({ purchase, purchaseId }: ActionsProps) {
  const amount = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<string>("");
  const isPaid = purchase?.paid === true;

  function run(act: () => Promise<void>, done: string): void {
    setBusy(true);
    act()
      .then(
        () => setOutcome(done),
        (error: unknown) => setOutcome(wordsOf(error)),
      )
      .finally(() => setBusy(false));
  }

  function askForRefund(): void {
    const typed = (amount.current?.value ?? "").replace(/\D/g, "");
    run(() => refund(purchaseId, typed === "" ? null : Number(typed)), "Devolución pedida.");
  }

  return (
    <div className={styles.actions}>
      <fieldset disabled={isBusy || !isPaid}>
        <legend>Devolución de la clínica</legend>
        <label>
          Monto en pesos
          <input ref={amount} inputMode="numeric" placeholder="Todo lo que queda" />
        </label>
        <button type="button" onClick={askForRefund}>
          Devolver
        </button>
      </fieldset>
      <fieldset disabled={isBusy || !isPaid}>
        <legend>La isapre decide ahora</legend>
        {OUTCOMES.map(({ outcome: decision, text }) => (
          <button key={decision} type="button" onClick={() => run(() => settleClaim(purchaseId, decision), "Hecho.")}>
            {text}
          </button>
        ))}
      </fieldset>
      <fieldset disabled={isBusy}>
        <legend>El receptor de webhooks falla</legend>
        {WEBHOOK_FAILURES.map((count) => (
          <button
            key={count}
            type="button"
            onClick={() => run(() => failWebhooks(purchaseId, count), `Fallarán los próximos ${count}.`)}
          >
            {count === 1 ? "1 vez" : `${count} veces`}
          </button>
        ))}
      </fieldset>
      <p role="status" className={styles.outcome}>
        {outcome}
      </p>
    </div>
  );
}
