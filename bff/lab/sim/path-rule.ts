import type { Noted } from "./moment.ts";
import { isBeginning, type Moment, stepBetween } from "./order-path.ts";

/** The last moment of each order, by its id. */
export type Histories = Map<string, Moment>;

/** Returns the orders whose change in a transaction is no step of the model. Continues from the end of `histories`. */
export function notBySteps(histories: Histories, noted: readonly Noted[]): string[] {
  return noted.flatMap(({ order_id: id, moment }) => {
    const before = histories.get(id);
    histories.set(id, moment);
    if (before === undefined) return isBeginning(moment) ? [] : [`${RULE}: order ${id} began as ${describe(moment)}`];
    if (stepBetween(before, moment) !== null) return [];
    return [`${RULE}: order ${id} went from ${describe(before)} to ${describe(moment)} by no step of the model`];
  });
}

const RULE = "ordersGoTheModelsWay";

function describe(moment: Moment): string {
  return JSON.stringify(moment);
}
