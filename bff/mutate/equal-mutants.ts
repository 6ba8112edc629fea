import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findMutants, type Mutant } from "./find-mutants.ts";

interface EqualMutant extends Pick<Mutant, "file" | "lineText" | "change"> {
  readonly package: "bff" | "widget";
  /** Why nobody could see it. */
  readonly why: string;
}

/** Mutants that change nothing that anybody could see, by the line in which they stand. They are not tried. */
const EQUAL_MUTANTS: readonly EqualMutant[] = [
  {
    package: "bff",
    file: "src/orders/payments/notify-receipt.ts",
    lineText: "if (orderId === null || !isOrderId(orderId)) return;",
    change: "|| → &&",
    why: "An event of an order always has the order's id; the line tells it to the compiler.",
  },
  {
    package: "bff",
    file: "src/orders/payments/notify-receipt.ts",
    lineText: "if (orderId === null || !isOrderId(orderId)) return;",
    change: "orderId === null || !isOrderId(orderId) → false",
    why: "An event of an order always has the order's id; the line tells it to the compiler.",
  },
  {
    package: "bff",
    file: "src/orders/refunds/refund-allocation.ts",
    lineText: "return kept > due ? subtractClp(kept, due) : ZERO;",
    change: "> → >=",
    why: "Where both are the same, their difference is zero.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText: "return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);",
    change: "0 → (0 + 1)",
    why: "Three parts are always there; the zeros tell it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/frame-height.ts",
    lineText: "if (scheduled !== undefined) cancelAnimationFrame(scheduled);",
    change: "scheduled !== undefined → true",
    why: "A browser ignores the end of a frame that was never asked for.",
  },
  {
    package: "widget",
    file: "embed/load-watch.ts",
    lineText: "export const LOAD_TIMEOUT_MS = 10_000;",
    change: "10_000 → (10_000 + 1)",
    why: "Nobody sees a wait that is a millisecond longer.",
  },
];

export function isEqual(packageName: string, { file, lineText, change }: Mutant): boolean {
  return EQUAL_MUTANTS.some(
    (one) => one.package === packageName && one.file === file && one.lineText === lineText && one.change === change,
  );
}

/** Those of the list that are no mutants of their file any more. */
export function unknownEqualMutants(bff: string): string[] {
  return EQUAL_MUTANTS.filter(({ package: name, file, lineText, change }) => {
    const path = join(bff, "..", name, file);
    if (!existsSync(path)) return true;
    const mutants = findMutants(file, readFileSync(path, "utf8"));
    return !mutants.some((mutant) => mutant.lineText === lineText && mutant.change === change);
  }).map(({ file, lineText, change }) => `${file}: ${lineText}: ${change}`);
}
