import type { UpcomingCharge } from "./orders.ts";
import type { Due, ShownCharge } from "./self-service-links.ts";

/**
 * The upcoming charge as a page shows it. In an answer of the previous version, any amount counts as a charge due now.
 */
export function upcomingOfDue(due: Due, key: "upcoming" | "upcoming_with_given_card" = "upcoming"): UpcomingCharge {
  const { status, amount, commission, reason } = due;
  const isOver = status === "collected" || status === "cancelled";
  return (
    due[key] ?? {
      status: isOver ? "none" : amount === 0 ? "on_hold" : "due_now",
      amount,
      commission,
      day: null,
      reason,
    }
  );
}

/**
 * The fields that a page with an upcoming charge sends when the patient presses; null if it names no date. A charge
 * that nothing has made due yet is announced before its last day, whatever the page shows.
 */
export function shownChargeOf({ status, amount, day, reason }: UpcomingCharge): ShownCharge | null {
  if (status === "due_now") return { amount, on: "now" };
  return status === "on_day" && day !== null && reason !== null ? { amount, on: day } : null;
}
