import type { MutationKey, QueryClient } from "@tanstack/react-query";
import type { PatientOrder } from "bff/contract/orders";
import type { WidgetSession } from "bff/contract/widget-tokens";
import { type Answer, problemOf } from "../api/problem.ts";
import type { CheckoutEvent } from "./checkout-state.ts";
import { orderQuery, type ServerReads, sessionQuery } from "./server-state.ts";
import type { SessionClock } from "./session-clock.ts";
import { type Facts, factsOf } from "./steps.ts";

/** Marks mutations that are a step of the patient. Only one runs at a time. */
export const STEP_KEY: MutationKey = ["step"];

/** One visit as its steps use it: the current data of the server, and the navigation of the patient. */
export interface Visit {
  readonly token: () => string;
  readonly session: () => WidgetSession;
  readonly updateSession: (changes: Partial<WidgetSession>) => void;
  /**
   * Fetches texts, sealing keys and the server's time again after the service refused data made with the old ones.
   * Never rejects.
   */
  readonly refreshSession: () => Promise<void>;
  /** Continues with a fresh token. Returns false, unchanged, if it is for another clinic, order or patient. */
  readonly swapToken: (token: string) => Promise<boolean>;
  readonly keepOrder: (order: PatientOrder) => void;
  /** Fetches the current order from the server. Never rejects. */
  readonly fetchOrder: () => Promise<Answer<PatientOrder>>;
  readonly send: (event: CheckoutEvent) => void;
  readonly isStepPending: () => boolean;
}

export interface VisitOptions {
  readonly client: QueryClient;
  readonly reads: ServerReads;
  readonly clock: SessionClock;
  readonly token: string;
  /** The session that came with the page. */
  readonly initial: WidgetSession;
  readonly dispatch: (event: CheckoutEvent, facts: Facts) => void;
  readonly onToken: (token: string) => void;
}

/** Whether a fresh token is for the same clinic, order and patient, so that the form may keep its input. */
export function isSameVisit(before: WidgetSession, after: WidgetSession): boolean {
  return (
    before.public_key === after.public_key &&
    before.order_token === after.order_token &&
    before.order?.customer.rut === after.order?.customer.rut &&
    before.user_data.rut === after.user_data.rut &&
    before.purpose === after.purpose
  );
}

/** The consent texts as one string, to compare two sessions. */
function textsOf({ consents }: WidgetSession): string {
  return consents.map(({ step, purpose, text }) => `${step} ${purpose} ${text}`).join();
}

export function createVisit({ client, reads, clock, initial, dispatch, onToken, ...options }: VisitOptions): Visit {
  let { token } = options;
  const session = () => client.getQueryData(sessionQuery(reads, token).queryKey) ?? initial;
  const order = () => client.getQueryData(orderQuery(reads, session()).queryKey) ?? null;
  const send = (event: CheckoutEvent) => dispatch(event, factsOf(session(), order()));
  const keepOrder = (kept: PatientOrder) => void client.setQueryData(orderQuery(reads, session()).queryKey, kept);

  /** Null if no session was available. */
  async function fetchSession(ofToken: string): Promise<WidgetSession | null> {
    try {
      return await client.query({ ...sessionQuery(reads, ofToken), staleTime: 0 });
    } catch {
      return null;
    }
  }

  /** Handles a session that has replaced another one. */
  function follow(before: WidgetSession, after: WidgetSession): void {
    clock.set(after.server_time);
    if (textsOf(before) !== textsOf(after)) send({ type: "texts_changed" });
  }

  return {
    token: () => token,
    session,
    updateSession: (changes) =>
      void client.setQueryData(sessionQuery(reads, token).queryKey, { ...session(), ...changes }),
    refreshSession: async () => {
      const before = session();
      const fresh = await fetchSession(token);
      if (fresh !== null) follow(before, fresh);
    },
    swapToken: async (freshToken) => {
      const fresh = await fetchSession(freshToken);
      const before = session();
      if (fresh === null || !isSameVisit(before, fresh)) return false;
      token = freshToken;
      onToken(freshToken);
      follow(before, fresh);
      if (fresh.order !== null) keepOrder(fresh.order);
      send({ type: "facts_changed" });
      return true;
    },
    keepOrder,
    fetchOrder: async () => {
      try {
        const found = await client.query({ ...orderQuery(reads, session()), staleTime: 0 });
        return found === null ? { ok: false, problem: problemOf(null) } : { ok: true, value: found };
      } catch (failure) {
        return { ok: false, problem: problemOf(failure) };
      }
    },
    send,
    isStepPending: () => client.isMutating({ mutationKey: STEP_KEY }) > 0,
  };
}
