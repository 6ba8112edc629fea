import { once } from "node:events";
import { createServer } from "node:http";
import express from "express";
import { isSignedCallback } from "../../src/gateways/connector/callback-signature.ts";
import {
  CALLBACK_BYTES_MAX,
  INSURER_CALLBACK_PATH,
  type InsurerClaim,
  readInsurerCallback,
} from "../../src/gateways/insurer-callbacks.ts";
import type { Clock } from "../../src/platform/clock.ts";

/** A callback received while a connector is checked. */
export interface HeardCallback {
  readonly path: string;
  readonly isSigned: boolean;
  /** Null if the body is not part of the protocol. */
  readonly claim: InsurerClaim | null;
}

export interface CallbackListener {
  readonly heard: readonly HeardCallback[];
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on this machine at the service's callback path, answers like the service, and records the callbacks. */
export async function listenForCallbacks(
  port: number,
  { token, clock }: { readonly token: string; readonly clock: Clock },
): Promise<CallbackListener> {
  const heard: HeardCallback[] = [];
  const app = express();
  app.use(express.raw({ type: () => true, limit: CALLBACK_BYTES_MAX }), (request, response) => {
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    const headers = {
      "webhook-id": request.get("webhook-id"),
      "webhook-timestamp": request.get("webhook-timestamp"),
      "webhook-signature": request.get("webhook-signature"),
    };
    const isSigned = isSignedCallback(headers, body, { tokens: [token], now: clock.now() });
    const claim = readInsurerCallback(body);
    heard.push({ path: request.path, isSigned, claim });
    const status = request.path !== INSURER_CALLBACK_PATH ? 404 : isSigned ? (claim === null ? 422 : 204) : 401;
    response.status(status).end();
  });
  const server = createServer(app).listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    heard,
    port: typeof address === "object" && address !== null ? address.port : port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
