import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import * as z from "zod/mini";

const receiptSchema = z.looseObject({
  /** The order's `hash`. */
  sub: z.string(),
  jti: z.string(),
  exp: z.number(),
  status: z.string(),
  /** In pesos. */
  amount: z.int(),
  currency: z.string(),
  paid_at: z.string(),
});
export type Receipt = z.infer<typeof receiptSchema>;

/**
 * Thrown when a `signed_receipt` is not ours, was changed, has expired, is for another order or provider, or was used
 * before.
 */
export class ReceiptRefused extends Error {
  override name = "ReceiptRefused";
}

export interface ReceiptCheckerOptions {
  /** {base_url} of the order API. */
  readonly orderApiUrl: string;
  /** Your provider's `id`, as `readProfile()` returns it. Receipts name it as their audience. */
  readonly providerId: string;
  /** Stores a receipt's `jti`. Returns false if you already have it. */
  readonly remember: (jti: string) => boolean | Promise<boolean>;
  /** The source of our keys, for tests; the default is `/.well-known/jwks.json` of the order API. */
  readonly keys?: JWTVerifyGetKey;
}

/**
 * Checks the `signed_receipt` of a page's `completed`. Fetches our keys on demand and caches them. Rejects with
 * `ReceiptRefused`, or with a network error if the keys are unavailable.
 *
 * @example
 * const checkReceipt = createReceiptChecker({ orderApiUrl, providerId, remember: (jti) => ids.insert(jti) });
 * const receipt = await checkReceipt(signedReceipt, { orderHash });
 */
export function createReceiptChecker({ orderApiUrl, providerId, remember, keys }: ReceiptCheckerOptions) {
  const known = keys ?? createRemoteJWKSet(new URL("/.well-known/jwks.json", orderApiUrl));
  return async (signedReceipt: string, { orderHash }: { readonly orderHash: string }): Promise<Receipt> => {
    const { payload } = await jwtVerify(signedReceipt, known, {
      issuer: orderApiUrl,
      audience: providerId,
      subject: orderHash,
      algorithms: ["EdDSA"],
      requiredClaims: ["exp", "jti"],
    }).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      throw new ReceiptRefused(error.message, { cause: error });
    });
    const receipt = receiptSchema.parse(payload);
    if (!(await remember(receipt.jti))) throw new ReceiptRefused("this receipt was shown before");
    return receipt;
  };
}

function isRefusal(error: unknown): error is Error {
  return error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout);
}
