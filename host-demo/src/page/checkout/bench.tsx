import { useState } from "react";
import type { Purchase } from "../../backend/purchase.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { CLAIM_WORDS, COLLECTION_WORDS, ORDER_WORDS, wordsFor } from "../../scenarios/step-words.ts";
import { ScenarioCardView } from "../scenarios/scenario-card.tsx";
import { Actions } from "./actions.tsx";
import styles from "./bench.module.css";
import { Inspector } from "./inspector.tsx";
import { Notices } from "./notices.tsx";
import { Tabs } from "./tabs.tsx";
import { TimeMachine } from "./time-machine.tsx";
import type { CheckoutTalk } from "./use-checkout.ts";
import { WhatHappened } from "./what-happened.tsx";

interface BenchProps {
  readonly purchase: Purchase | null;
  readonly purchaseId: string;
  readonly talk: CheckoutTalk;
  readonly scenario: Scenario | null;
}

/**
 * The panel next to the checkout for testers and demonstrations, which a patient would not have: the state of the
 * order, all events, the patient's notifications and the frame's messages. It can also move time. Its height never
 * depends on its content. On a phone it is a sheet at the bottom.
 */
export function Bench({ purchase, purchaseId, talk, scenario }: BenchProps) {
  const [isOpen, setOpen] = useState(false);
  const orderStatus = purchase?.orderStatus ?? null;
  return (
    <aside className={styles.bench} aria-label="Banco de pruebas" data-open={isOpen}>
      <button type="button" className={styles.handle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span>Qué ha pasado</span>
        <span className={styles.handleState}>{wordsFor(ORDER_WORDS, orderStatus, "Por crear")}</span>
      </button>
      <div className={styles.content}>
        <dl className={styles.states}>
          <div>
            <dt>Orden</dt>
            <dd data-testid="order-status" data-status={orderStatus ?? "none"}>
              {wordsFor(ORDER_WORDS, orderStatus, "Por crear")}
            </dd>
          </div>
          <div>
            <dt>Reembolso</dt>
            <dd data-testid="claim-status" data-status={purchase?.receiptStatus ?? "none"}>
              {wordsFor(CLAIM_WORDS, purchase?.receiptStatus ?? null, "Todavía no")}
            </dd>
          </div>
          <div>
            <dt>Segundo cobro</dt>
            <dd
              data-testid="collection-status"
              data-status={purchase?.collection?.status ?? "none"}
              data-reason={purchase?.collection?.reason ?? "none"}
            >
              {wordsFor(COLLECTION_WORDS, purchase?.collection?.status ?? null, "Todavía no")}
            </dd>
          </div>
        </dl>
        <TimeMachine purchaseId={purchaseId} />
        <Tabs
          label="Banco de pruebas"
          tabs={[
            {
              id: "happened",
              title: "Qué ha pasado",
              content: <WhatHappened purchase={purchase} news={talk.news} />,
            },
            { id: "notices", title: "Avisos", content: <Notices purchase={purchase} /> },
            { id: "messages", title: "Mensajes", content: <Inspector messages={talk.messages} /> },
            { id: "actions", title: "Acciones", content: <Actions purchase={purchase} purchaseId={purchaseId} /> },
            ...(scenario === null
              ? []
              : [{ id: "scenario", title: "Escenario", content: <ScenarioCardView scenario={scenario} /> }]),
          ]}
        />
      </div>
    </aside>
  );
}
