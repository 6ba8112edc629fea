import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * Receivers of the webhook benchmark, in a separate process. `POST /hook/<n>` is an endpoint; `/hook/hang` never
 * answers. `GET /take` returns how long each webhook took from its `created_at`, by endpoint, and resets.
 */

let taken: Record<string, number[]> = {};
const hanging: ServerResponse[] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(taken));
    taken = {};
    for (const held of hanging.splice(0)) held.destroy();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const name = request.url?.slice("/hook/".length) ?? "";
    if (name === "hang") {
      hanging.push(response);
      return;
    }
    const created = /"created_at":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1];
    const times = taken[name] ?? [];
    times.push(Date.now() - Date.parse(created ?? ""));
    taken[name] = times;
    response.writeHead(204).end();
  });
});

server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
