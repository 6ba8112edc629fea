import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import express from "express";
import type pg from "pg";
import { openReplayPool, replay, type SentTransaction } from "./replay.ts";

/*
 * A bare Express that answers the calls of recorded checkouts: it parses their bodies, sends their statements and
 * answers with as many bytes. Argument: the file with the recording. Each message names the database to use, or null.
 */

/** A call of a recorded checkout. */
export interface RecordedCall {
  readonly transactions: readonly SentTransaction[];
  readonly request: unknown;
  readonly answer: string;
}

const checkouts: readonly (readonly RecordedCall[])[] = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
let pool: pg.Pool | null = null;

const app = express();
app.use(express.json());
app.post("/:checkout/:call", async (request, response) => {
  const call = checkouts[Number(request.params.checkout)]?.[Number(request.params.call)];
  if (call === undefined || pool === null) throw new Error("No such call was recorded.");
  await replay(pool, call.transactions);
  response.json(call.answer);
});
async function usePool({ url }: { readonly url: string | null }): Promise<void> {
  await pool?.end();
  pool = url === null ? null : openReplayPool(url);
  process.send?.("ready");
}
process.on("message", (message: { readonly url: string | null }) => void usePool(message));
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
// Exits normally, so that a profiler can write its output.
process.once("SIGTERM", () => process.exit(0));
process.once("disconnect", () => process.exit(0));
