import { ORDER_STATES, ORDER_TRANSITIONS, publishedStatus } from "../src/orders/order.ts";

/** Renders `docs/reference/order-states.md` from the table of transitions, so that the two cannot differ. */
export function drawOrderStates(): string {
  const arrows = ORDER_TRANSITIONS.map(({ from, to, trigger }) => `    ${from} --> ${to}: ${trigger}`);
  const transitions = ORDER_TRANSITIONS.map(({ from, to, trigger, events }) => [
    code(from),
    code(trigger),
    code(to),
    events.map(code).join(", "),
  ]);
  const published = ORDER_STATES.map((state) => [code(state), code(publishedStatus(state))]);
  return [
    "# States of an order",
    "",
    "Drawn from the table in `src/orders/order.ts`; `pnpm exec vitest run src/orders/order.test.ts -u` draws it again.",
    "",
    "```mermaid",
    "stateDiagram-v2",
    "    [*] --> awaiting_payment: create",
    ...arrows,
    "```",
    "",
    ...table(["From", "Trigger", "To", "Events"], transitions),
    "",
    "Partners see the published state:",
    "",
    ...table(["State", "Published"], published),
    "",
  ].join("\n");
}

function code(word: string): string {
  return `\`${word}\``;
}

/** A Markdown table with aligned columns, as the formatter lays it out. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}
