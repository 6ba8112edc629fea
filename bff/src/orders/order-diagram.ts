import { ORDER_STATES, ORDER_TRANSITIONS, publishedStatus } from "./order.ts";

/** The page `docs/order-states.md`, drawn from the table of transitions, so that the two cannot differ. */
export function drawOrderStates(): string {
  const published = ORDER_STATES.map((state) => `| \`${state}\` | \`${publishedStatus(state)}\` |`);
  const arrows = ORDER_TRANSITIONS.map(({ from, to, trigger }) => `    ${from} --> ${to}: ${trigger}`);
  const events = ORDER_TRANSITIONS.map(
    ({ from, to, trigger, events: kinds }) =>
      `| \`${from}\` | \`${trigger}\` | \`${to}\` | ${kinds.map((kind) => `\`${kind}\``).join(", ")} |`,
  );
  return [
    "# States of an order",
    "",
    "Drawn from the table in `src/orders/order.ts`; `npx vitest run -u src/orders/order.test.ts` draws it again.",
    "",
    "```mermaid",
    "stateDiagram-v2",
    "    [*] --> awaiting_payment: create",
    ...arrows,
    "```",
    "",
    "| From | Trigger | To | Events |",
    "|---|---|---|---|",
    ...events,
    "",
    "Partners see the published state:",
    "",
    "| State | Published |",
    "|---|---|",
    ...published,
    "",
  ].join("\n");
}
