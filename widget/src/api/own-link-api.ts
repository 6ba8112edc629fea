import { type ObjectToEmailChangeRequest, objectToEmailChangeResponseSchema } from "bff/contract/onboarding";
import { readerOf } from "./answers.ts";
import { spotPath } from "./checkout-api.ts";
import type { Answer } from "./problem.ts";
import { request, type Transport } from "./request.ts";

/**
 * The calls of the pages that the service's own links open. They stand apart from the checkout's, so that it does not carry
 * their schemas. None of them throws.
 */
export interface OwnLinkApi {
  /** Takes a change of e-mail back, by the link that the old address was sent. */
  objectToEmailChange(publicKey: string, body: ObjectToEmailChangeRequest): Promise<Answer<unknown>>;
}

export function createOwnLinkApi(transport: Transport): OwnLinkApi {
  const objection = readerOf(objectToEmailChangeResponseSchema);
  return {
    objectToEmailChange: (publicKey, body) =>
      request(transport, { method: "POST", path: spotPath("user/recovery/objection", { publicKey }), body }, objection),
  };
}
