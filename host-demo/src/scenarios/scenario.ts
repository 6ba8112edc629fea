/** This folder describes the scenarios of the demo, which people try by hand and the browser tests run. */

import type { ScenarioCard } from "./magic-values.ts";
import type { Person } from "./people.ts";
import type { Service } from "./services.ts";

export type OrderStatus = "pending" | "paid" | "partially_refunded" | "refunded" | "cancelled";
export type ClaimStatus = "filed" | "approved" | "rejected" | "held" | "access_blocked";
export type CollectionStatus = "scheduled" | "processing" | "collected" | "failed" | "cancelled";

/** An action of the patient or the clinic. */
export type Act =
  | { readonly do: "accept_summary" }
  /** Only patients who are not registered yet are asked. Without a password there is no access to the insurer. */
  | { readonly do: "register"; readonly insurer: string; readonly portalPassword: string | null }
  | { readonly do: "prove_identity"; readonly serial: string }
  /** `keep`: also ticks the box that saves it for later. */
  | { readonly do: "add_card"; readonly card: ScenarioCard; readonly keep?: true }
  | { readonly do: "change_card"; readonly card: ScenarioCard }
  | { readonly do: "pay" }
  /** The same patient returns with another order. */
  | { readonly do: "come_back" }
  /** Uses the code that was sent to the patient's telephone. */
  | { readonly do: "answer_code" }
  /** On the page of the bank that requires strong authentication. */
  | { readonly do: "answer_bank"; readonly button: "Confirmar la compra" | "No fui yo: rechazar" }
  /** On the card processor's own page, which asks to confirm the card before it registers it. */
  | { readonly do: "confirm_card"; readonly button: "Confirmar la tarjeta" | "Cancelar y volver" }
  /** With the time machine, which also runs everything that falls due meanwhile. */
  | { readonly do: "pass_days"; readonly days: number }
  /** Uses the link in the newest mail about it, on a separate page, after the code from another mail. */
  | { readonly do: "give_access_by_mail"; readonly portalPassword: string }
  | { readonly do: "change_card_by_mail"; readonly card: ScenarioCard; readonly button: "Confirmar la tarjeta" }
  | { readonly do: "pay_rest_by_mail" }
  /** The clinic refunds an amount in CLP, or everything that is left (null). */
  | { readonly do: "refund"; readonly amountClp: number | null };

/** What must then be visible, in the frame or on the clinic's own page. */
export type Sight =
  | { readonly see: "screen"; readonly heading: string }
  | { readonly see: "alert"; readonly words: string }
  | { readonly see: "order"; readonly status: OrderStatus }
  | { readonly see: "claim"; readonly status: ClaimStatus }
  | { readonly see: "collection"; readonly status: CollectionStatus; readonly reason?: string }
  /** A mail to the patient whose subject contains these words. */
  | { readonly see: "notice"; readonly subject: string };

export type Step = Act | Sight;

export const SCENARIO_GROUPS = [
  { id: "pago", words: "Pagar" },
  { id: "tarjeta", words: "La tarjeta no pasa" },
  { id: "identidad", words: "Identidad" },
  { id: "credito", words: "Crédito" },
  { id: "reembolso", words: "Reembolso de la isapre" },
  { id: "cobro", words: "Segundo cobro" },
  { id: "devolucion", words: "Devoluciones" },
] as const;
export type ScenarioGroup = (typeof SCENARIO_GROUPS)[number]["id"];

/**
 * A scenario that the product must handle correctly. It is tried by hand on the clinic's page, run by the browser
 * tests, and explains the use of the test values.
 */
export interface Scenario {
  readonly id: string;
  readonly group: ScenarioGroup;
  readonly title: string;
  /**
   * A RUT that determines the sandbox's behaviour; `new` is an unknown patient who is created when the scenario is
   * opened.
   */
  readonly patient: "new" | { readonly rut: string };
  readonly serviceId: Service["id"];
  readonly documentSerial: string;
  readonly card: ScenarioCard;
  /** How the patient's insurer will answer. */
  readonly insurerOutcome: string;
  readonly steps: readonly Step[];
}

export function isSight(step: Step): step is Sight {
  return "see" in step;
}

/** The patient of a scenario in the clinic's records; `freshRut` makes the RUT of a new patient. */
export function patientOf(scenario: Scenario, freshRut: () => string): Person {
  const rut = scenario.patient === "new" ? freshRut() : scenario.patient.rut;
  return {
    id: scenario.id,
    rut,
    firstName: "María José",
    lastName: "O'Ryan Díaz",
    email: `paciente.${rut.replace(/\D/g, "")}@example.com`,
    phone: phoneOf(rut),
  };
}

/** A telephone number for this patient alone, so that only their messages are shown as theirs. */
function phoneOf(rut: string): string {
  const body = rut.replaceAll(".", "").slice(0, 8);
  return `+56 9 ${body.slice(0, 4)} ${body.slice(4)}`;
}
