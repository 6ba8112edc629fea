import type { UpcomingCharge } from "../../contract/orders.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";

interface Amounts {
  readonly amount: Clp;
  /** The commission included in it. */
  readonly commission: Clp;
}

/** The upcoming charge in notifications; the kinds are those of `UpcomingCharge`. */
export type Upcoming =
  | { readonly kind: "none" }
  | ({ readonly kind: "in_flight" | "on_hold" | "card_needed" } & Amounts)
  | ({ readonly kind: "on_day" | "by_day"; readonly day: CalendarDay } & Amounts);

/** A charge that is made now is announced with its day, because the patient may read the notification later. */
export function upcomingOf({ status, amount, commission, day }: UpcomingCharge): Upcoming {
  switch (status) {
    case "none":
      return { kind: "none" };
    case "in_flight":
    case "card_needed":
      return { kind: status, amount, commission };
    case "due_now":
    case "on_day":
      return day === null ? { kind: "on_hold", amount, commission } : { kind: "on_day", day, amount, commission };
    case "by_day":
      return day === null ? { kind: "on_hold", amount, commission } : { kind: status, day, amount, commission };
    case "on_hold":
      return { kind: status, amount, commission };
  }
}
