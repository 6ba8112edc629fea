import { type GiveInsurerAccessRequest, giveInsurerAccessResponseSchema } from "bff/contract/insurer-access";
import { readerOf } from "./answers.ts";
import type { Answer } from "./problem.ts";
import { request, type Transport } from "./request.ts";
import { spotPath } from "./spot-path.ts";

/** Gives access to the insurer: behind a link and its code, or at the end of a checkout. Never throws. */
export type GiveInsurerAccess = (publicKey: string, body: GiveInsurerAccessRequest) => Promise<Answer<unknown>>;

export function createGiveInsurerAccess(transport: Transport): GiveInsurerAccess {
  const reader = readerOf(giveInsurerAccessResponseSchema);
  return (publicKey, body) =>
    request(
      transport,
      { method: "POST", path: spotPath("patient/insurer_access", { publicKey }), body, afterReports: true },
      reader,
    );
}
