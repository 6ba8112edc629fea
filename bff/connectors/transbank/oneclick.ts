import type { ChargeLimits } from "../../src/contract/vocabulary/card.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Ids } from "../../src/platform/ids.ts";
import type { Logger } from "../../src/platform/logger.ts";
import type { KeptCalls } from "../kit/kept-calls.ts";
import type { CodeLevel } from "./decline.ts";
import { type Detail, isUnknownOrder, type OneclickApi } from "./oneclick-api.ts";
import type { UserSeal } from "./sealed-users.ts";

/** The terms that Transbank agreed with the mall. */
export interface Terms {
  readonly shopCode: string;
  readonly codeLevel: CodeLevel;
  readonly limits: ChargeLimits;
  readonly refundDays: number;
  /** Named to Transbank for every enrolment: the operator's, never a patient's. */
  readonly email: string;
}

export interface Oneclick {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Takes a `tbkUser` as it is stored. */
  readonly api: OneclickApi;
  readonly userSeal: UserSeal;
  readonly calls: KeptCalls;
  readonly terms: Terms;
  /** The origin at which patients' browsers open the pages. */
  readonly pageOrigin: string;
}

/**
 * After so long a request that Transbank does not know is taken as never received. Its connection ended within 9
 * seconds, and Transbank promises nothing about late requests.
 */
export const NOT_RECEIVED_AFTER_MS = 5 * 60_000;

/** `status` answers for 7 days; an hour less, for clocks that differ. */
export const STATUS_MS = (7 * 24 - 1) * 3_600_000;

/** Whether Transbank still answers about a charge. */
export function isRecent({ clock }: Oneclick, chargedAt: Date): boolean {
  return clock.now().getTime() - chargedAt.getTime() < STATUS_MS;
}

/** Whether a request that Transbank does not know can no longer take effect. */
export function isOver({ clock }: Oneclick, begunAt: Date): boolean {
  return clock.now().getTime() - begunAt.getTime() >= NOT_RECEIVED_AFTER_MS;
}

/** The state of one charge at Transbank. `not_known`: no such order. `unsure`: the answer proves nothing. */
export type DetailAnswer = { readonly is: "known"; readonly detail: Detail } | { readonly is: "not_known" | "unsure" };

export async function readDetail({ api }: Oneclick, buyOrder: string, shopBuyOrder: string): Promise<DetailAnswer> {
  const reply = await api.status(buyOrder);
  if (reply.is === "refused") return { is: isUnknownOrder(reply) ? "not_known" : "unsure" };
  const detail = reply.answer.details.find(({ buy_order }) => buy_order === shopBuyOrder);
  return detail === undefined ? { is: "unsure" } : { is: "known", detail };
}

const CAPTURED = ["AUTHORIZED", "CAPTURED", "REVERSED", "NULLIFIED", "PARTIALLY_NULLIFIED"];
const GONE = ["REVERSED", "NULLIFIED"];

/** Whether a detail was charged, even if some of it has been returned since. */
export function wasCaptured({ response_code, status }: Detail): boolean {
  return response_code === 0 && CAPTURED.includes(status);
}

/** The balance of a charge; null if the detail does not contain it. */
export function balanceOf({ balance, status, amount }: Detail): number | null {
  if (balance !== null && balance !== undefined) return balance;
  if (GONE.includes(status)) return 0;
  return status === "AUTHORIZED" || status === "CAPTURED" ? amount : null;
}

/** The issuer's code for the protocol; omitted unless it is short and printable. */
export function readCode(code: string | null | undefined): string | undefined {
  return code !== null && code !== undefined && /^[\x21-\x7e]{1,12}$/.test(code) ? code : undefined;
}
