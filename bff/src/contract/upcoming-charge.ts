import type { UpcomingCharge } from "./orders.ts";
import type { Due, ShownCharge } from "./self-service-links.ts";

/**
 * What a page says of the charge to come; an answer of the previous version is read as a charge of now, if there is
 * any.
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

/** What a page that shows an upcoming charge sends when the patient presses; null if it names no moment. */
export function shownChargeOf({ status, amount, day }: UpcomingCharge): ShownCharge | null {
  if (status === "due_now") return { amount, on: "now" };
  return status === "on_day" && day !== null ? { amount, on: day } : null;
}
