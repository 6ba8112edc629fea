import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** The network between one process and the database. */
export interface Relay {
  /** The database's address through the relay. */
  readonly url: string;
  /** Loses everything from now on, without closing a connection, as if the host were gone. `false` ends that. */
  silence(isSilent: boolean): void;
  /** Adds this many milliseconds to each round trip; 0 for none. */
  delay(milliseconds: number): void;
  close(): Promise<void>;
}

export async function startRelay(databaseUrl: string): Promise<Relay> {
  const target = targetOf(new URL(databaseUrl));
  const lines = new Set<Line>();
  const network = { isSilent: false, delayMs: 0 };
  const server = createServer((client) => {
    const line = { client, upstream: connect(target), isDead: network.isSilent };
    lines.add(line);
    client.on("close", () => lines.delete(line));
    pass(line, client, line.upstream, network);
    pass(line, line.upstream, client, network);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(databaseUrl);
  url.searchParams.delete("host");
  url.searchParams.delete("port");
  url.host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    url: url.href,
    silence(isSilent) {
      network.isSilent = isSilent;
      // A connection stays lost when the network is back.
      if (isSilent) for (const line of lines) line.isDead = true;
    },
    delay(milliseconds) {
      network.delayMs = milliseconds;
    },
    async close() {
      const ended = once(server, "close");
      server.close();
      for (const { client, upstream } of lines) for (const socket of [client, upstream]) socket.destroy();
      await ended;
    },
  };
}

/** A server on this machine may have only a socket, whose folder is the parameter `host`. */
function targetOf({ hostname, port, searchParams }: URL): { path: string } | { port: number; host: string } {
  const folder = searchParams.get("host");
  const number = searchParams.get("port") ?? (port === "" ? "5432" : port);
  return folder === null ? { port: Number(number), host: hostname } : { path: `${folder}/.s.PGSQL.${number}` };
}

interface Line {
  readonly client: Socket;
  readonly upstream: Socket;
  isDead: boolean;
}

/** Passes what one side sends to the other, in its order, unless the line is dead. */
function pass(line: Line, from: Socket, to: Socket, network: { readonly delayMs: number }): void {
  let passed: Promise<unknown> = Promise.resolve();
  const later = (deed: () => unknown) => {
    const arrives = network.delayMs === 0 ? null : pause(network.delayMs / 2);
    passed = passed.then(() => arrives).then(() => (line.isDead ? null : deed()));
  };
  from.setNoDelay(true).on("error", () => undefined);
  from.on("data", (chunk: Buffer) => later(() => to.write(chunk)));
  from.on("close", () => later(() => to.end()));
}
