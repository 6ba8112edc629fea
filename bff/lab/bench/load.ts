import { connect, type Socket } from "node:net";

/** The part of an answer that a client of a benchmark needs. */
interface LoadAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * One connection that stays open. Sends and receives raw bytes, because the cost of a full HTTP client would count too.
 */
export interface LoadConnection {
  send(request: string): Promise<LoadAnswer>;
  close(): void;
}

export async function openConnection(port: number): Promise<LoadConnection> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let waiting: { resolve: (answer: LoadAnswer) => void; reject: (error: Error) => void } | null = null;
  let received: Buffer = Buffer.alloc(0);
  const fail = () => waiting?.reject(new Error("The server closed a connection in the middle of a benchmark."));
  socket.on("error", fail).on("close", fail);
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = readAnswer(received);
    if (answer === null) return;
    received = Buffer.alloc(0);
    const { resolve } = waiting ?? { resolve: () => undefined };
    waiting = null;
    resolve(answer);
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        write(socket, request);
      }),
    close: () => void socket.off("close", fail).destroy(),
  };
}

function write(socket: Socket, request: string): void {
  socket.write(request, "utf8");
}

/**
 * Null until the whole answer has arrived. Every answer, from our service or from bare Express, has a content length.
 */
function readAnswer(received: Buffer): LoadAnswer | null {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = received.toString("latin1", 0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  if (Number.isNaN(length)) throw new Error("An answer does not say how long it is.");
  const whole = end + 4 + length;
  if (received.length < whole) return null;
  return { status: Number(head.slice(9, 12)), body: received.subarray(end + 4, whole) };
}

/** A request with a JSON body, as bytes. */
export function requestText(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: unknown } = {},
): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const all = { host: "127.0.0.1", ...headers };
  const withBody =
    body === undefined
      ? all
      : { ...all, "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const lines = Object.entries(withBody).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${text}`;
}

export interface LoadResult {
  /** Repetitions per second. */
  readonly perSecond: number;
  /** Milliseconds of each repetition. */
  readonly times: readonly number[];
}

/**
 * Runs this many clients against these ports, each with separate connections. Each repeats an action for the given
 * time.
 */
export async function runLoad(
  ports: readonly number[],
  { clients, milliseconds }: { clients: number; milliseconds: number },
  work: (connections: readonly LoadConnection[]) => Promise<void>,
): Promise<LoadResult> {
  const open = () => Promise.all(ports.map(openConnection));
  const connections = await Promise.all(Array.from({ length: clients }, open));
  const times: number[] = [];
  const begun = performance.now();
  const until = begun + milliseconds;
  const client = async (own: readonly LoadConnection[]) => {
    for (let from = performance.now(); from < until; ) {
      await work(own);
      const now = performance.now();
      times.push(now - from);
      from = now;
    }
  };
  await Promise.all(connections.map(client));
  const seconds = (performance.now() - begun) / 1_000;
  for (const connection of connections.flat()) connection.close();
  return { perSecond: times.length / seconds, times };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);
