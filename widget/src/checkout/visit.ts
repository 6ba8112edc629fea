import type { PatientOrder } from "bff/contract/orders";
import type { WidgetSession } from "bff/contract/widget-tokens";
import { type Answer, problemOf } from "../api/problem.ts";
import type { CheckoutEvent } from "./checkout-state.ts";
import { credentialsOf, type ServerReads, type ServerState } from "./server-state.ts";
import type { SessionClock } from "./session-clock.ts";
import { type Facts, factsOf } from "./steps.ts";

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
}

export interface VisitOptions {
  readonly reads: ServerReads;
  readonly clock: SessionClock;
  /** The state that came with the page. */
  readonly initial: ServerState;
  readonly dispatch: (event: CheckoutEvent, facts: Facts) => void;
  readonly onChange: (server: ServerState) => void;
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

export function createVisit({ reads, clock, initial, dispatch, onChange }: VisitOptions): Visit {
  let server = initial;
  const session = () => server.session;
  const send = (event: CheckoutEvent) => dispatch(event, factsOf(server.session, server.order));
  const keepOrder = (order: PatientOrder) => keep({ order });

  function keep(changes: Partial<ServerState>): void {
    server = { ...server, ...changes };
    onChange(server);
  }

  /** Continues with a session that was read. The consents given to other texts no longer count. */
  function follow(token: string, fresh: WidgetSession): void {
    const before = server.session;
    keep({ token, session: fresh });
    clock.set(fresh.server_time);
    if (textsOf(before) !== textsOf(fresh)) send({ type: "texts_changed" });
  }

  return {
    token: () => server.token,
    session,
    updateSession: (changes) => keep({ session: { ...server.session, ...changes } }),
    refreshSession: async () => {
      const { token } = server;
      const fresh = await reads.readSession(token);
      // A fresh token has brought a newer session.
      if (fresh.ok && token === server.token) follow(token, fresh.value);
    },
    swapToken: async (token) => {
      const fresh = await reads.readSession(token);
      if (!fresh.ok || !isSameVisit(server.session, fresh.value)) return false;
      follow(token, fresh.value);
      if (fresh.value.order !== null) keepOrder(fresh.value.order);
      send({ type: "facts_changed" });
      return true;
    },
    keepOrder,
    fetchOrder: async () => {
      const { order_token: orderToken } = server.session;
      if (orderToken === null) return { ok: false, problem: problemOf(null) };
      const found = await reads.readOrder(credentialsOf(server.session), orderToken);
      if (found.ok) keepOrder(found.value);
      return found;
    },
    send,
  };
}
