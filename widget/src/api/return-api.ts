import { type ReadReturnRequest, type ReadReturnResponse, readReturnResponseSchema } from "bff/contract/redirects";
import { readerOf } from "./answers.ts";
import type { Answer } from "./problem.ts";
import { request, type Transport } from "./request.ts";

const reader = readerOf(readReturnResponseSchema);

/** Reads the state of the payment or card that the patient left for. Never throws. */
export function createReadReturn(
  transport: Transport,
): (reference: string, body: ReadReturnRequest) => Promise<Answer<ReadReturnResponse>> {
  return (reference, body) => {
    const path = `/api/spot/returns/${encodeURIComponent(reference)}`;
    return request(transport, { method: "POST", path, body }, reader);
  };
}
