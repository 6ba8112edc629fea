import { formatRut, readRut } from "bff/contract/vocabulary/rut";
import type { Problem } from "../api/problem.ts";
import type { StepContext } from "./step-context.ts";
import type { Checkout } from "./use-checkout.ts";

/** The props of each step's screen. */
export interface StepProps {
  readonly checkout: Checkout;
  readonly context: StepContext;
  /** Whether a step is running. No other step starts before it has ended. */
  readonly pending: boolean;
  readonly problem: Problem | null;
}

/** The way back; none on the first step of the visit. */
export function backOf({ state, actions }: Checkout): (() => void) | undefined {
  return state.steps[0] === (state.place.at === "step" ? state.place.step : null) ? undefined : actions.back;
}

export function shownRut({ order }: Checkout): string {
  const rut = readRut(order?.customer.rut ?? "");
  return rut === null ? (order?.customer.rut ?? "") : formatRut(rut);
}
