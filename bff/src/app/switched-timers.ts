import { claimSwitches } from "../claims/work.ts";
import { collectionSwitches } from "../collection/work.ts";
import { notificationSwitches } from "../notifications/work.ts";
import { orderSwitches } from "../orders/work.ts";
import type { Switch } from "../platform/switches.ts";
import { settlementSwitches } from "../settlement/work.ts";

/** The switch that stops each kind of timer. */
export const SWITCHED_TIMERS: Readonly<Record<string, Switch>> = {
  ...claimSwitches,
  ...collectionSwitches,
  ...notificationSwitches,
  ...orderSwitches,
  ...settlementSwitches,
};
