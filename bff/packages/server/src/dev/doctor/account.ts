import { call } from "../call.ts";
import type { LoggedEvent } from "../forward-events.ts";
import type { SandboxKeys } from "../keys.ts";
import { type Finding, fine, mistake, warning } from "./finding.ts";

/** Judges the results of the orders: missing receipts, and books that do not agree. */
export async function judgeAccount(keys: SandboxKeys, events: readonly LoggedEvent[]): Promise<Finding[]> {
  const missing = events.filter(({ event }) => event === "order.receipt_missing").map(({ reference }) => reference);
  const { addresses, credentials } = keys;
  const url = new URL(`/api/reconciliation?public_key=${credentials.public_key}`, addresses.spot_api);
  const { differences } = await call<{ readonly differences: readonly { readonly kind: string }[] }>({
    method: "GET",
    url,
    headers: { "x-secret-key": credentials.secret_key },
    answerHas: ["differences"],
  });
  return [
    missing.length === 0
      ? fine("receipts", "No paid order has waited too long for its receipt.")
      : mistake(
          "receipt_missing",
          `Receipts were not sent in time: ${missing.slice(0, 5).join(", ")}.`,
          "submitExpense({ rut, orderHash, files }) when order.paid has come.",
        ),
    differences.length === 0
      ? fine("reconciliation", "Orders, ledger and the outside parties' lists agree.")
      : warning(
          "reconciliation",
          `The reconciliation names differences: ${differences.map(({ kind }) => kind).join(", ")}.`,
          "Read them at GET /api/reconciliation.",
        ),
  ];
}
