import type { ConsentPurpose, PatientOrder } from "bff/contract/orders";
import type { WidgetSession } from "bff/contract/widget-tokens";
import { useEffect, useReducer, useRef, useState } from "react";
import { type CheckoutEvent, type CheckoutState, openCheckout, reduceCheckout } from "./checkout-state.ts";
import type { PatientValues } from "./patient/patient-values.ts";
import type { ServerReads, ServerState } from "./server-state.ts";
import type { SessionClock } from "./session-clock.ts";
import type { ShownReports } from "./shown-reports.ts";
import { type Facts, factsOf, type StepName } from "./steps.ts";
import { createVisit, type Visit } from "./visit.ts";

/** Actions of the patient that need no request to the service. */
export interface CheckoutActions {
  readonly continue: () => void;
  readonly back: () => void;
  readonly open: (step: StepName) => void;
  readonly changeConsent: (purpose: ConsentPurpose, given: boolean) => void;
  /** Keeps the ticks of a submitted form, and returns all consents given in this visit. */
  readonly giveConsents: (given: readonly ConsentPurpose[]) => readonly ConsentPurpose[];
  readonly keepDraft: (draft: Partial<PatientValues>) => void;
  readonly chooseRecovery: (asking: "way" | "identity") => void;
  readonly disown: () => void;
  readonly expire: () => void;
}

export interface CheckoutParts extends ServerReads {
  readonly clock: SessionClock;
  /** Resolves once the page is visible; null if it was visible from the start. */
  readonly seen: Promise<void> | null;
  readonly shown: Pick<ShownReports, "begin">;
  /** A screen other than the one that the server's data leads to. The gallery shows all of them. */
  readonly opening?: Partial<Pick<CheckoutState, "steps" | "place" | "challengeLeft" | "declined" | "recognition">>;
}

export interface Checkout {
  readonly state: CheckoutState;
  readonly session: WidgetSession;
  readonly order: PatientOrder | null;
  readonly facts: Facts;
  /** The page is visible and its session is fresh. Until then no screen calls the service by itself. */
  readonly isSeen: boolean;
  readonly draft: () => Partial<PatientValues>;
  readonly actions: CheckoutActions;
  readonly visit: Visit;
}

interface Dispatched {
  readonly event: CheckoutEvent;
  readonly facts: Facts;
}

function reduce(state: CheckoutState, { event, facts }: Dispatched): CheckoutState {
  return reduceCheckout(state, event, facts);
}

/**
 * Known patient data, to prefill the form. An order's masked e-mail and phone are useless there.
 */
function draftOf(session: WidgetSession): Partial<PatientValues> {
  const { user_data, order } = session;
  return {
    rut: order?.customer.rut ?? user_data.rut ?? "",
    first_name: user_data.name ?? order?.customer.first_name ?? "",
    last_name: user_data.surname ?? order?.customer.last_name ?? "",
    email: user_data.email ?? "",
    phone_number: user_data.phone_number ?? "",
  };
}

/** The maximum age of the session when the page is first seen. Patients take about as long to read the first screen. */
const FRESH_MS = 60_000;

/** Refetches the session if the page was loaded long before it was first visible. */
function useSeen(visit: Visit, { seen, clock }: Pick<CheckoutParts, "seen" | "clock">): boolean {
  const [isSeen, setSeen] = useState(seen === null);
  useEffect(() => {
    let isOver = false;
    void seen?.then(async () => {
      const ageMs = clock.now() - Date.parse(visit.session().server_time);
      if (!isOver && ageMs > FRESH_MS) await visit.swapToken(visit.token());
      if (!isOver) setSeen(true);
    });
    return () => {
      isOver = true;
    };
  }, [visit, seen, clock]);
  return isSeen;
}

/** One visit of a patient: the screen (a reducer's state), the server's data, and the patient's actions. */
export function useCheckout(parts: CheckoutParts, firstToken: string, initial: WidgetSession): Checkout {
  const [server, setServer] = useState<ServerState>({ token: firstToken, session: initial, order: initial.order });
  const { session, order } = server;
  const [state, dispatch] = useReducer(reduce, initial, (opened) => {
    return { ...openCheckout(factsOf(opened, opened.order)), ...parts.opening };
  });
  const draft = useRef(draftOf(initial));
  const [visit] = useState(() =>
    createVisit({
      reads: parts,
      clock: parts.clock,
      initial: server,
      dispatch: (event, facts) => dispatch({ event, facts }),
      onChange: setServer,
    }),
  );
  const isSeen = useSeen(visit, parts);
  const { begin } = parts.shown;
  useEffect(() => begin(visit), [begin, visit]);
  const { send } = visit;

  function giveConsents(given: readonly ConsentPurpose[]): readonly ConsentPurpose[] {
    for (const purpose of given) send({ type: "consent_changed", purpose, given: true });
    return [...new Set([...state.given, ...given])];
  }

  const actions: CheckoutActions = {
    continue: () => send({ type: "continued" }),
    back: () => send({ type: "went_back" }),
    open: (step) => send({ type: "opened", step }),
    changeConsent: (purpose, given) => send({ type: "consent_changed", purpose, given }),
    giveConsents,
    keepDraft: (kept) => {
      draft.current = { ...draft.current, ...kept };
    },
    chooseRecovery: (asking) => send({ type: "recovery_chosen", asking }),
    disown: () => send({ type: "disowned" }),
    expire: () => send({ type: "expired" }),
  };

  const facts = factsOf(session, order);
  return { state, session, order, facts, isSeen, draft: () => draft.current, actions, visit };
}
