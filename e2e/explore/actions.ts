import { randomFrom } from "./random.ts";

/** How often each kind is drawn. Half of the actions fill in or submit a screen, so that walks reach the payment. */
const WEIGHTS = {
  go_on: 7,
  fill: 3,
  submit: 3,
  press: 2,
  type: 2,
  reload: 1,
  back: 1,
  offline: 1,
  other_tab: 1,
  clock: 1,
  party_fails: 1,
  lost_answer: 1,
  wait: 1,
} as const;

export type ActionKind = keyof typeof WEIGHTS;

/**
 * One action. It does not name its target: `at` (0 to 1) chooses among the screen's targets at that time. So a list can
 * be replayed even if some actions are removed.
 */
export interface Action {
  readonly kind: ActionKind;
  readonly at: number;
}

/** The actions of one order, the same for the same seed. */
export function actionsFrom(seed: number, count: number): Action[] {
  const random = randomFrom(seed);
  const kinds = Object.entries(WEIGHTS).flatMap(([kind, weight]) => Array<ActionKind>(weight).fill(kind as ActionKind));
  return Array.from({ length: count }, () => ({
    kind: kinds[Math.floor(random() * kinds.length)] ?? "submit",
    at: Math.round(random() * 999) / 1_000,
  }));
}

export function listed(actions: readonly Action[]): string {
  return actions.map(({ kind, at }) => `${kind} ${at}`).join(", ");
}
