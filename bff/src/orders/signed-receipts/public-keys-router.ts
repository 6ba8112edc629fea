import { Router } from "express";
import type { Keyring } from "../../platform/keyring.ts";
import { publicKeys } from "./signed-receipts.ts";

/** A key is published with the first receipt that it signs; who meets a new one reads them again. */
const CACHE = "public, max-age=3600";

/** `GET /.well-known/jwks.json`: the public keys of signed receipts, for everybody. */
export function publicKeysRouter({ keyring }: { readonly keyring: Pick<Keyring, "signingKeys"> }): Router {
  return Router().get("/.well-known/jwks.json", (_request, response) => {
    response.setHeader("Cache-Control", CACHE);
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.type("application/jwk-set+json").send(JSON.stringify(publicKeys(keyring)));
  });
}
