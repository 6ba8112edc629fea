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
    package: "bff",
    file: "src/collection/collection.ts",
    lineText: "return from < opens ? opens : from;",
    change: "< → <=",
    why: "Where both are the same moment, it is that moment.",
  },
  {
    package: "bff",
    file: "src/collection/charge/dunning.ts",
    lineText: 'if (series.length >= CHARGE_TRIES_MAX) return { outcome: "give_up", reason: "tries_exhausted" };',
    change: ">= → >",
    why: "A fifth try would come ten days after the first of the four at the earliest, which the last line refuses too.",
  },
  {
    package: "bff",
    file: "src/collection/charge/dunning.ts",
    lineText: 'if (series.length >= CHARGE_TRIES_MAX) return { outcome: "give_up", reason: "tries_exhausted" };',
    change: "series.length >= CHARGE_TRIES_MAX → false",
    why: "A fifth try would come ten days after the first of the four at the earliest, which the last line refuses too.",
  },
  {
    package: "bff",
    file: "src/collection/charge/dunning.ts",
    lineText: "const BEGINNING = new Date(0);",
    change: "0 → (0 + 1)",
    why: "Any moment long before every order.",
  },
  {
    package: "bff",
    file: "src/claims/claim-life.ts",
    lineText: "return due !== null && due > now && due < byRhythm ? due : byRhythm;",
    change: "< → <=",
    why: "Where both are the same moment, it is that moment.",
  },
  {
    package: "bff",
    file: "src/claims/claim.ts",
    lineText: "return Math.min(15 * MINUTE_MS * 2 ** Math.min(attempt - 1, 10), 4 * HOUR_MS);",
    change: "10 → (10 + 1)",
    why: "It only keeps the power from overflowing; four hours are the most long before.",
  },
  {
    package: "bff",
    file: "src/claims/expenses/expense.ts",
    lineText: 'if (order === null) return "received";',
    change: "order === null → false",
    why: "No order is in no set of states; the line tells it to the compiler.",
  },
  {
    package: "bff",
    file: "src/orders/identity/identity-tries.ts",
    lineText: "export const IDENTITY_ANSWER_WITHIN_MS = 60_000;",
    change: "60_000 → (60_000 + 1)",
    why: "A millisecond of a minute that nobody counts.",
  },
  {
    package: "bff",
    file: "src/orders/identity/identity-tries.ts",
    lineText: "const oldest = sorted[sorted.length - IDENTITY_REJECTIONS_PER_HOUR_MAX] ?? 0;",
    change: "0 → (0 + 1)",
    why: "There are as many; the zero tells it to the compiler.",
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
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText: "return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;",
    change: "<= → <",
    why: "No part of a colour is just that share of 255.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText: "const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);",
    change: "0 → (0 + 1)",
    why: "There are always two; the zeros tell it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText:
      'return accent !== undefined && /^#[0-9a-f]{6}$/i.test(accent) && contrast(accent, "#ffffff") >= CONTRAST_MIN;',
    change: ">= → >",
    why: "No colour has just that contrast.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText: "const [a = 0, b = 0] = [one, other].map((color) => Number.parseInt(color.slice(at, at + 2), 16));",
    change: "0 → (0 + 1)",
    why: "There are always two; the zeros tell it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/checkout-style.ts",
    lineText: "let height = 0;",
    change: "0 → (0 + 1)",
    why: "A frame is never less than 640 pixels high, unless the page wants it so.",
  },
  {
    package: "widget",
    file: "embed/checkout-style.ts",
    lineText: "if (!scope || !isStyleScope(scope)) return;",
    change: "|| → &&",
    why: "What a checkout is attached to is a document or a shadow root; the line tells it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/checkout-style.ts",
    lineText: "if (!scope || !isStyleScope(scope)) return;",
    change: "!scope || !isStyleScope(scope) → false",
    why: "What a checkout is attached to is a document or a shadow root; the line tells it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/frame-height.ts",
    lineText: "let reported = -1;",
    change: "1 → (1 + 1)",
    why: "Any height that no frame has.",
  },
  {
    package: "widget",
    file: "embed/frame-side.ts",
    lineText: "let sentId = 0;",
    change: "0 → (0 + 1)",
    why: "It is set again with each port, and without a port nothing is sent.",
  },
  {
    package: "widget",
    file: "embed/host-side.ts",
    lineText: "let sentId = 0;",
    change: "0 → (0 + 1)",
    why: "A hello sets it, and before one nothing is sent.",
  },
  {
    package: "widget",
    file: "embed/host-side.ts",
    lineText: "let announcedId = 0;",
    change: "0 → (0 + 1)",
    why: "It counts for the document that has announced itself, and none has yet.",
  },
  {
    package: "widget",
    file: "embed/load-watch.ts",
    lineText: "let isLoaded = false;",
    change: "false → true",
    why: "It is set again when the waiting begins.",
  },
  {
    package: "widget",
    file: "embed/mount-checkout.ts",
    lineText: "#hasAnnounced = false;",
    change: "false → true",
    why: "It is set again when the frame is loaded, and before that nothing is heard.",
  },
  {
    package: "widget",
    file: "embed/mount-checkout.ts",
    lineText: "#isUp = false;",
    change: "false → true",
    why: "It is set again when the frame is loaded, and before that nothing is heard.",
  },
  {
    package: "widget",
    file: "embed/react.tsx",
    lineText: "if (!container.current) return;",
    change: "!container.current → false",
    why: "React has put the element there; the line tells it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/react.tsx",
    lineText: "mounted.destroy();",
    change: "mounted.destroy(); → ;",
    why: "React takes the element out before, and another checkout in its place ends this one.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/balance-store.ts",
    lineText: "where t.provider_id = $" + "{providerId} and t.at < 'infinity' and t.at >= coalesce(",
    change: "t.at < 'infinity' → true",
    why: "It only tells the planner how many rows to expect.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/balance-store.ts",
    lineText: "where t.provider_id = $" + "{providerId} and t.at < 'infinity' and t.at >= coalesce(",
    change: "< → <=",
    why: "No row has that moment.",
  },
  {
    package: "widget",
    file: "embed/mount-checkout.ts",
    lineText: "const address = fresh ? parseUrl(fresh) : undefined;",
    change: "fresh ? parseUrl(fresh) : undefined → parseUrl(fresh)",
    why: "No link is the page's own address, which is of another origin and has no token.",
  },
  {
    package: "widget",
    file: "embed/preload-checkout.ts",
    lineText: 'frame.addEventListener("load", () => (isLoaded = true), { once: true });',
    change: "true → false",
    why: "What has loaded stays loaded.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-payout.ts",
    lineText: "...(amount > 0 ? { debit: owed, credit: to } : { debit: to, credit: owed }),",
    change: "> → >=",
    why: "What is nothing was left out before.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-settlement.ts",
    lineText: "...(part > 0",
    change: "> → >=",
    why: "What is nothing was left out before.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-store.ts",
    lineText: "or (cause like 'return:%' and exists (",
    change: "cause like 'return:%' → true",
    why: "A cause that names a movement's return begins so; it only spares the question.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-store.ts",
    lineText:
      "on d.provider_id = m.provider_id and d.order_id = m.order_id and d.id = m.payment_id and d.kind = 'deferred'",
    change: "d.order_id = m.order_id → true",
    why: "The payment's id finds it alone; the order only finds it sooner.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-store.ts",
    lineText: "where m.provider_id = o.provider_id and m.order_id = o.id and cause = 'return:' || m.id))) as collected",
    change: "m.order_id = o.id → true",
    why: "The movement's id finds it alone; the order only finds it sooner.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-store.ts",
    lineText:
      "join order_refunds r on r.provider_id = m.provider_id and r.order_id = m.order_id and r.id = m.refund_id",
    change: "r.order_id = m.order_id → true",
    why: "The refund's id finds it alone; the order only finds it sooner.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-write-off.ts",
    lineText: "if (amount <= 0) return;",
    change: "<= → <",
    why: "Of nothing, or less, no row is booked anyhow.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-write-off.ts",
    lineText: "if (amount <= 0) return;",
    change: "amount <= 0 → false",
    why: "Of nothing, or less, no row is booked anyhow.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/closing-store.ts",
    lineText: ".limit(1)",
    change: "1 → (1 + 1)",
    why: "Only the first row is read of what comes.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/closing-store.ts",
    lineText: '.orderBy("at")',
    change: ".limit(1) → (nothing)",
    why: "Only the first row is read of what comes.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/closing-store.ts",
    lineText: "where provider_id = $" + "{providerId} and closed_before < $" + "{before}`.execute(tx);",
    change: "< → <=",
    why: "Where both are the same, it stays as it is.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/close-days.ts",
    lineText: "const PIECE_DAYS = 31;",
    change: "31 → (31 + 1)",
    why: "How many days are summed at once nobody sees.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/close-days.ts",
    lineText: "if (until === null || from === null) return [];",
    change: "|| → &&",
    why: "Where no day is closed nothing is kept, and nothing is summed.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/close-days.ts",
    lineText: "for (let begin = from; begin < to; ) {",
    change: "< → <=",
    why: "A piece of no time holds no row.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/close-days.ts",
    lineText: "pieces.push({ from: begin, to: end < to ? end : to });",
    change: "< → <=",
    why: "Where both are the same moment, it is that moment.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/transfer-store.ts",
    lineText: "if (transfers.every(({ amount }) => amount === 0)) return;",
    change: "transfers.every(({ amount }) => amount === 0) → false",
    why: "It only spares a statement that books nothing.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/transfer-store.ts",
    lineText: "if (booked.length === 0) return sql`select 1`;",
    change: "booked.length === 0 → false",
    why: "Of no rows none is inserted; it only spares the arrays.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/close-days.ts",
    lineText: "if (until === null || from === null) return [];",
    change: "until === null || from === null → false",
    why: "Where no day is closed nothing is kept, and nothing is summed.",
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
