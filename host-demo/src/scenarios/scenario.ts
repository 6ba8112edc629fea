import type { ScenarioCard } from "./magic-values.ts";
import type { Person } from "./people.ts";
import type { Service } from "./services.ts";

export type OrderStatus = "pending" | "paid" | "partially_refunded" | "refunded" | "cancelled";
export type ClaimStatus = "filed" | "approved" | "rejected" | "held" | "access_blocked";
export type CollectionStatus = "scheduled" | "processing" | "collected" | "failed" | "cancelled";

/** Something that the patient, or the clinic, does. */
export type Act =
  | { readonly do: "accept_summary" }
  /** Only a patient who is not known yet is asked. Without a password the insurer access stays missing. */
  | { readonly do: "register"; readonly insurer: string; readonly portalPassword: string | null }
  | { readonly do: "prove_identity"; readonly serial: string }
  | { readonly do: "add_card"; readonly card: ScenarioCard }
  | { readonly do: "change_card"; readonly card: ScenarioCard }
  | { readonly do: "pay" }
  /** On the page of the bank, which asks for strong authentication. */
  | { readonly do: "answer_bank"; readonly button: "Confirmar la compra" | "No fui yo: rechazar" }
  /** With the time machine. What falls due meanwhile is done in its order. */
  | { readonly do: "pass_days"; readonly days: number }
  /** By the link of the newest mail about it, on a page of its own, after the code that comes by mail too. */
  | { readonly do: "give_access_by_mail"; readonly portalPassword: string }
  | { readonly do: "change_card_by_mail"; readonly card: ScenarioCard }
  | { readonly do: "pay_rest_by_mail" }
  /** The clinic gives money back: all that is left, or an amount in CLP. */
  | { readonly do: "refund"; readonly amountClp: number | null };

/** Something that is seen then: inside the frame, or on the clinic's own page. */
export type Sight =
  | { readonly see: "screen"; readonly heading: string }
  | { readonly see: "alert"; readonly words: string }
  | { readonly see: "order"; readonly status: OrderStatus }
  | { readonly see: "claim"; readonly status: ClaimStatus }
  | { readonly see: "collection"; readonly status: CollectionStatus; readonly reason?: string }
  /** A notice to the patient whose subject holds these words. */
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
 * A situation that the product must get right, for three readers: a person who tries it by hand on the clinic's page, the
 * browser tests that go the same steps, and whoever wants to know what a test value is good for.
 */
export interface Scenario {
  readonly id: string;
  readonly group: ScenarioGroup;
  readonly title: string;
  /** A RUT that the sandbox decides by; `new` is a patient whom nobody has met, made when the scenario is opened. */
  readonly patient: "new" | { readonly rut: string };
  readonly serviceId: Service["id"];
  readonly documentSerial: string;
  readonly card: ScenarioCard;
  /** What the patient's insurer will answer. */
  readonly insurerOutcome: string;
  readonly steps: readonly Step[];
}

export function isSight(step: Step): step is Sight {
  return "see" in step;
}

/** The patient of a scenario as the clinic's records have them; `freshRut` makes the RUT of one whom nobody has met. */
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

/** A number of the patient's own: what is sent to it is shown as theirs. */
function phoneOf(rut: string): string {
  const body = rut.replaceAll(".", "").slice(0, 8);
  return `+56 9 ${body.slice(0, 4)} ${body.slice(4)}`;
}
