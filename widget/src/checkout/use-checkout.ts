import { useQueryClient } from "@tanstack/react-query";
import type { ConsentPurpose, DocumentType, PatientOrder } from "bff/contract/orders";
import type { WidgetSession } from "bff/contract/widget-tokens";
import { useReducer, useRef, useState, useSyncExternalStore } from "react";
import { NOTHING_SENT, type Problem } from "../api/problem.ts";
import type { TypedCard } from "../steps/card/card-step.tsx";
import type { PatientAnswers, PatientValues } from "../steps/patient/patient-values.ts";
import type { CheckoutCommands, VisitStore } from "./checkout-commands.ts";
import {
  type CheckoutEvent,
  type CheckoutState,
  type Collision,
  openCheckout,
  type Place,
  reduceCheckout,
} from "./checkout-state.ts";
import type { SessionClock } from "./session-clock.ts";
import { type Facts, factsOf, type StepName } from "./steps.ts";

/** What the patient can do; views call these and nothing else. */
export interface CheckoutActions {
  readonly continue: (given: readonly ConsentPurpose[]) => void;
  readonly back: () => void;
  readonly open: (step: StepName) => void;
  readonly changeConsent: (purpose: ConsentPurpose, given: boolean) => void;
  readonly keepDraft: (draft: Partial<PatientValues>) => void;
  readonly register: (values: PatientAnswers, given: readonly ConsentPurpose[]) => void;
  readonly chooseRecovery: (asking: "way" | "identity") => void;
  readonly sendEmailCode: (collision: Collision) => void;
  readonly sendIdentityCode: (collision: Collision, proof: { readonly serial: string; readonly email: string }) => void;
  readonly verifyCode: (collision: Collision, code: string) => void;
  readonly validateIdentity: (serial: string, type: DocumentType) => void;
  readonly addCard: (card: TypedCard) => void;
  readonly pay: (given: readonly ConsentPurpose[]) => void;
  readonly endChallenge: () => void;
  readonly leaveChallenge: () => void;
  /** Asks how an earlier visit's payment stands; in nobody's way. */
  readonly inquire: () => void;
  readonly keepCard: () => void;
  readonly expire: () => void;
  /** Asks for the link to one's own data; resolves with what went wrong. Null where it is not known whose. */
  readonly askForData: (() => Promise<Problem | null>) | null;
}

/** What a visit's commands come from: code that is loaded while the patient reads the first screen. */
export interface CommandSource {
  readonly clock: SessionClock;
  readonly loadCommands: (store: VisitStore) => Promise<CheckoutCommands>;
  /** A screen other than the one that the server's knowledge leads to; the gallery shows them all. */
  readonly opening?: { readonly place: Place | null; readonly challengeLeft: boolean };
}

export interface Checkout {
  readonly state: CheckoutState;
  readonly session: WidgetSession;
  readonly order: PatientOrder | null;
  readonly facts: Facts;
  readonly pending: boolean;
  readonly draft: () => Partial<PatientValues>;
  readonly actions: CheckoutActions;
  /** Takes the session of a fresh token; false, and nothing changes, where it is for something else. */
  readonly swapSession: (token: string, session: WidgetSession) => boolean;
}

const SESSION_KEY = ["session"];
const ORDER_KEY = ["order"];

interface Dispatched {
  readonly event: CheckoutEvent;
  readonly facts: Facts;
}

function reduce(state: CheckoutState, { event, facts }: Dispatched): CheckoutState {
  return reduceCheckout(state, event, facts);
}

/** True when a fresh token is for the same clinic, order and patient, so that what was typed may stay. */
export function isSameVisit(before: WidgetSession, after: WidgetSession): boolean {
  return (
    before.public_key === after.public_key &&
    before.order_token === after.order_token &&
    before.order?.customer.rut === after.order?.customer.rut &&
    before.user_data.rut === after.user_data.rut &&
    before.purpose === after.purpose
  );
}

/** What is known of the patient beforehand, to fill the form in. An order's masked e-mail and phone are no use there. */
export function draftOf(session: WidgetSession): Partial<PatientValues> {
  const { user_data, order } = session;
  return {
    rut: order?.customer.rut ?? user_data.rut ?? "",
    first_name: user_data.name ?? order?.customer.first_name ?? "",
    last_name: user_data.surname ?? order?.customer.last_name ?? "",
    email: user_data.email ?? "",
    phone_number: user_data.phone_number ?? "",
  };
}

/** The same promise for every caller, but for one that was rejected: then the next caller tries again. */
function keepingFirst<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | null = null;
  return () => {
    kept ??= load().catch((failure: unknown) => {
      kept = null;
      throw failure;
    });
    return kept;
  };
}

/**
 * A value that react-query keeps. Only the patient's own steps change it, so that nobody fetches it by itself: the cache is
 * listened to, and the observer that `useQuery` would bring stays out of the first screen.
 */
function useKept<Value>(key: readonly string[], initial: Value): Value {
  const client = useQueryClient();
  const [subscribe] = useState(() => {
    client.setQueryData(key, initial);
    const cache = client.getQueryCache();
    return (listener: () => void) => cache.subscribe(listener);
  });
  return useSyncExternalStore(
    subscribe,
    () => client.getQueryData<Value>(key) ?? initial,
    () => initial,
  );
}

/** What is to be accepted, so that two sessions can be told apart by it. */
function textsOf({ consents }: WidgetSession): string {
  return consents.map(({ step, purpose, text_sha256 }) => `${step} ${purpose} ${text_sha256}`).join();
}

/**
 * One visit of a patient: where they are (a reducer's state), what the server knows (react-query's), and what they can do.
 * Calls go one at a time; a press while one is under way does nothing.
 */
export function useCheckout(parts: CommandSource, token: string, initial: WidgetSession): Checkout {
  const client = useQueryClient();
  const session = useKept(SESSION_KEY, initial);
  const order = useKept<PatientOrder | null>(ORDER_KEY, initial.order);
  const [state, dispatch] = useReducer(reduce, initial, (session) => {
    const opened = openCheckout(factsOf(session, session.order));
    const { place, challengeLeft } = parts.opening ?? { place: null, challengeLeft: false };
    return { ...opened, challengeLeft, place: place ?? opened.place };
  });
  const currentToken = useRef(token);
  const draft = useRef(draftOf(initial));
  const isBusy = useRef(false);
  const [isPending, setIsPending] = useState(false);

  const [store] = useState<VisitStore>(() => {
    const sessionNow = () => client.getQueryData<WidgetSession>(SESSION_KEY) ?? initial;
    const orderNow = () => client.getQueryData<PatientOrder | null>(ORDER_KEY) ?? null;
    return {
      token: () => currentToken.current,
      session: sessionNow,
      keepSession: (fresh) => {
        const isSameTexts = textsOf(sessionNow()) === textsOf(fresh);
        client.setQueryData(SESSION_KEY, fresh);
        if (!isSameTexts) dispatch({ event: { type: "texts_changed" }, facts: factsOf(fresh, orderNow()) });
      },
      keepOrder: (fresh) => void client.setQueryData(ORDER_KEY, fresh),
      send: (event) => dispatch({ event, facts: factsOf(sessionNow(), orderNow()) }),
      isBusy: () => isBusy.current,
    };
  });
  const [commands] = useState(() => keepingFirst(() => parts.loadCommands(store)));
  const { send } = store;

  async function run(task: (commands: CheckoutCommands) => Promise<void>): Promise<void> {
    isBusy.current = true;
    setIsPending(true);
    try {
      await task(await commands());
    } catch {
      // Commands never fail: their code could not be loaded, so that nothing was sent.
      send({ type: "failed", problem: NOTHING_SENT });
    } finally {
      isBusy.current = false;
      setIsPending(false);
    }
  }

  function work(task: (commands: CheckoutCommands) => Promise<void>): void {
    if (!isBusy.current) void run(task);
  }

  function take(given: readonly ConsentPurpose[]): readonly ConsentPurpose[] {
    for (const purpose of given) send({ type: "consent_changed", purpose, given: true });
    return [...new Set([...state.given, ...given])];
  }

  function ask(since: "opened" | "left"): void {
    // Where the code cannot be loaded nothing is asked; the payment itself asks again.
    commands().then(
      (loaded) => loaded.inquire(since),
      () => undefined,
    );
  }

  const rut = draft.current.rut ?? "";
  const actions: CheckoutActions = {
    continue: (given) => {
      take(given);
      send({ type: "continued" });
    },
    back: () => send({ type: "went_back" }),
    open: (step) => send({ type: "opened", step }),
    changeConsent: (purpose, given) => send({ type: "consent_changed", purpose, given }),
    keepDraft: (kept) => {
      draft.current = { ...draft.current, ...kept };
    },
    register: (values, given) => work((commands) => commands.register(values, given)),
    chooseRecovery: (asking) => send({ type: "recovery_chosen", asking }),
    sendEmailCode: (collision) => work((commands) => commands.startRecovery(collision, null)),
    sendIdentityCode: (collision, proof) => work((commands) => commands.startRecovery(collision, proof)),
    verifyCode: (collision, code) => work((commands) => commands.verifyRecovery(collision, code)),
    validateIdentity: (serial, type) => work((commands) => commands.validateIdentity(serial, type)),
    addCard: (card) => work((commands) => commands.addCard(card)),
    pay: (given) => work((commands) => commands.pay(take(given))),
    endChallenge: () => work((commands) => commands.pay(state.given)),
    leaveChallenge: () => {
      send({ type: "challenge_left" });
      // The patient may have confirmed in the bank's app: then it goes on without this page.
      ask("left");
    },
    inquire: () => ask("opened"),
    keepCard: () => send({ type: "continued" }),
    expire: () => send({ type: "expired" }),
    askForData:
      rut === ""
        ? null
        : () =>
            commands().then(
              (loaded) => loaded.askForData(rut),
              () => NOTHING_SENT,
            ),
  };

  function swapSession(freshToken: string, fresh: WidgetSession): boolean {
    if (!isSameVisit(store.session(), fresh)) return false;
    currentToken.current = freshToken;
    parts.clock.set(fresh.server_time);
    store.keepSession(fresh);
    if (fresh.order !== null) store.keepOrder(fresh.order);
    send({ type: "facts_changed" });
    return true;
  }

  return {
    state,
    session,
    order,
    facts: factsOf(session, order),
    pending: isPending,
    draft: () => draft.current,
    actions,
    swapSession,
  };
}
