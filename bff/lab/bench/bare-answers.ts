import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * The cost of an answer alone: `node:http` reads the whole body and answers with JSON as long as an order. Nothing is
 * parsed, looked up or logged.
 */

const ANSWER = Buffer.from(JSON.stringify({ order: "o".repeat(1_500) }));

const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": ANSWER.length });
    response.end(ANSWER);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
// Exits normally, so that a profiler can write its output.
process.once("SIGTERM", () => process.exit(0));
