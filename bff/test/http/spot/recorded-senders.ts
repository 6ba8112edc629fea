import { readFileSync } from "node:fs";
import { connect } from "node:net";

/** Recorded requests of real programs, in the server languages that partners use. */
export type Sender = "php-curl" | "axios" | "python-requests" | "java-http-client";

/** Replays a recorded request to this service, with the given key, order and content length. */
export async function replay(
  sender: Sender,
  to: { readonly url: string; readonly publicKey: string; readonly order: string },
): Promise<{ status: number; body: Record<string, unknown> }> {
  const recorded = readFileSync(new URL(`../../fixtures/senders/${sender}.http`, import.meta.url), "latin1");
  const end = recorded.indexOf("\r\n\r\n");
  const body = recorded.slice(end).replace("ORDER_HASH", to.order);
  const head = recorded
    .slice(0, end)
    .replace("PUBLIC_KEY", to.publicKey)
    .replace(/\r\nConnection: .*/i, "")
    .replace(/(Content-Length: )\d+/i, `$1${body.length - 4}`);
  const { hostname, port } = new URL(to.url);
  const socket = connect(Number(port), hostname);
  socket.write(Buffer.from(`${head}\r\nConnection: close${body}`, "latin1"));
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return {
    status: Number(answer.split(" ")[1]),
    body: JSON.parse(answer.slice(answer.indexOf("{", answer.indexOf("\r\n\r\n")), answer.lastIndexOf("}") + 1)),
  };
}
