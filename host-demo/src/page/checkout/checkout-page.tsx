import { useEffect, useRef, useState } from "react";
import type { Purchase } from "../../backend/purchase.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { soldIn } from "../../scenarios/services.ts";
import { ORDER_WORDS, wordsFor } from "../../scenarios/step-words.ts";
import { type ClinicFacts, watchPurchase } from "../clinic-api.ts";
import type { View } from "../page-address.ts";
import { pesos } from "../pesos.ts";
import { Bench } from "./bench.tsx";
import styles from "./checkout-page.module.css";
import type { CheckoutAddress } from "./embed-kit.ts";
import { useCheckout } from "./use-checkout.ts";

interface CheckoutPageProps {
  readonly facts: ClinicFacts;
  readonly view: View;
  readonly id: string;
  readonly firstUrl: CheckoutAddress | null;
  readonly scenario: Scenario | null;
}

/** The statuses of an order that can be paid; for any other status no token is minted. */
const PAYABLE: readonly (string | null)[] = [null, "pending"];

function backToShop(): void {
  window.location.hash = "#/";
}

/**
 * The checkout's frame, next to the events in the tester's view. The frame's messages are only hints and shown as
 * such. An order counts as paid when the service reports it to the clinic's backend, in a signed webhook or in a
 * response.
 */
export function CheckoutPage({ facts, view, id, firstUrl, scenario }: CheckoutPageProps) {
  const container = useRef<HTMLDivElement>(null);
  const [purchase, setPurchase] = useState<Purchase | null>(null);
  // Decided once, so that the frame stays after the payment and shows its receipt.
  const [isWanted, setWanted] = useState(firstUrl !== null);
  const [isUnknown, setUnknown] = useState(false);
  useEffect(() => {
    let isFirst = true;
    const follow = (now: Purchase) => {
      setPurchase(now);
      if (isFirst && PAYABLE.includes(now.orderStatus)) setWanted(true);
      isFirst = false;
    };
    return watchPurchase(id, follow, () => setUnknown(isFirst));
  }, [id]);
  const talk = useCheckout({
    container,
    purchaseId: id,
    widgetHostUrl: facts.widgetHostUrl,
    firstUrl,
    isWanted,
    onClose: backToShop,
  });

  if (isUnknown) {
    return (
      <div className={styles.settled}>
        <h1 className={styles.title}>Paga tu atención</h1>
        <p role="alert">No encontramos esta compra.</p>
        <a href="#/">Volver a las reservas</a>
      </div>
    );
  }
  return (
    <div className={styles.checkout} data-view={view}>
      <h1 className={styles.title}>Paga tu atención</h1>
      <section className={styles.frame} aria-label="Pago">
        {talk.failure !== null && <p role="alert">{talk.failure}</p>}
        <div ref={container} className={styles.place} hidden={!isWanted} />
        {!isWanted && purchase !== null && <Settled purchase={purchase} />}
      </section>
      {view === "bench" && <Bench purchase={purchase} purchaseId={id} talk={talk} scenario={scenario} />}
    </div>
  );
}

interface SettledProps {
  readonly purchase: Purchase;
}

/** Shown instead of the frame if there is nothing left to pay. */
function Settled({ purchase }: SettledProps) {
  const service = soldIn(purchase);
  return (
    <div className={styles.settled}>
      <p className={styles.state}>{wordsFor(ORDER_WORDS, purchase.orderStatus, "")}</p>
      <h2>{service?.name}</h2>
      <p>
        {purchase.firstName} {purchase.lastName} · {pesos(service?.priceClp ?? 0)}
        <br />
        Referencia {purchase.reference}
      </p>
      <a href="#/">Volver a las reservas</a>
    </div>
  );
}
