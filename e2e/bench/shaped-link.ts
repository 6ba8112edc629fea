import { connect, createServer, type Socket } from "node:net";

/** A slow line, like a phone's. Connecting costs a round trip too, which Chromium's own throttling omits. */
export interface LinkShape {
  readonly downBitsPerSecond: number;
  readonly upBitsPerSecond: number;
  readonly roundTripMs: number;
}

export interface ShapedLink {
  /** The address of the proxy for the browser. */
  readonly proxy: string;
  close(): Promise<void>;
}

/** The size of a packet. Packets of several connections take turns on the line. */
const PACKET_BYTES = 1_460;

interface Lane {
  /** Sends bytes over the line. `deliver` gets them when the last of them has arrived. */
  send(from: object, bytes: Buffer, deliver: (bytes: Buffer) => void): void;
}

interface Packet {
  readonly bytes: Buffer;
  readonly deliver: (bytes: Buffer) => void;
}

/** One direction of the line: a bit rate shared by all connections, then half a round trip. */
function openLane(bitsPerSecond: number, delayMs: number): Lane {
  const waiting = new Map<object, Packet[]>();
  const onTheWay: (Packet & { readonly arrivesAt: number })[] = [];
  let freeAt = 0;
  let isRunning = false;

  /** Sends as much as the line can carry by now. Connections take turns. */
  function load(): void {
    for (let [turn] = waiting; turn !== undefined && freeAt <= performance.now(); [turn] = waiting) {
      const [from, packets] = turn;
      const packet = packets.shift();
      waiting.delete(from);
      if (packets.length > 0) waiting.set(from, packets);
      if (packet === undefined) continue;
      freeAt += (packet.bytes.length * 8_000) / bitsPerSecond;
      onTheWay.push({ ...packet, arrivesAt: freeAt + delayMs });
    }
  }

  /** Timers of different lengths may end in any order, but data is delivered in the order in which it was sent. */
  function run(): void {
    load();
    for (let [first] = onTheWay; first !== undefined && first.arrivesAt <= performance.now(); [first] = onTheWay) {
      onTheWay.shift();
      first.deliver(first.bytes);
    }
    isRunning = waiting.size > 0 || onTheWay.length > 0;
    if (isRunning) setTimeout(run, 1);
  }

  return {
    send(from, bytes, deliver) {
      const packets = waiting.get(from) ?? [];
      for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
        packets.push({ bytes: bytes.subarray(at, at + PACKET_BYTES), deliver });
      }
      if (waiting.size === 0) freeAt = Math.max(freeAt, performance.now());
      waiting.set(from, packets);
      if (isRunning) return;
      isRunning = true;
      run();
    },
  };
}

/** The parts of SOCKS 5 (RFC 1928) that a browser uses to connect somewhere. */
const VERSION = 5;
const NO_AUTHENTICATION = Buffer.from([VERSION, 0]);
const CONNECTED = Buffer.from([VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
const CONNECT_HEAD_BYTES = 4;
const IS_NAME = 3;

/** The port in a connect request: its last two bytes, whatever kind of address precedes. */
function portOf(request: Buffer): number {
  const addressBytes = request[3] === IS_NAME ? 1 + (request[CONNECT_HEAD_BYTES] ?? 0) : 4;
  return request.readUInt16BE(CONNECT_HEAD_BYTES + addressBytes);
}

/**
 * Opens a slow line to this machine, as a SOCKS proxy. The browser itself waits one round trip for each connection, and
 * meanwhile uses another one that becomes free, as on a real line. A transparent proxy could not make it wait, because
 * the kernel completes the handshake at once.
 */
export function openShapedLink(shape: LinkShape): Promise<ShapedLink> {
  const down = openLane(shape.downBitsPerSecond, shape.roundTripMs / 2);
  const up = openLane(shape.upBitsPerSecond, shape.roundTripMs / 2);
  const open = new Set<Socket>();

  function keep(socket: Socket, other: () => Socket | null): void {
    socket.setNoDelay(true);
    open.add(socket);
    // When one side closes, the other is closed too.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      open.delete(socket);
      other()?.destroy();
    });
  }

  function carry(client: Socket, port: number): Socket {
    const server = connect(port, "127.0.0.1");
    const write = (to: Socket) => (bytes: Buffer) => {
      if (!to.destroyed) to.write(bytes);
    };
    client.on("data", (bytes) => up.send(client, bytes, write(server)));
    server.on("data", (bytes) => down.send(server, bytes, write(client)));
    return server;
  }

  const proxy = createServer((client) => {
    let server: Socket | null = null;
    keep(client, () => server);
    client.once("data", () => {
      client.write(NO_AUTHENTICATION);
      client.once("data", (request) => {
        const opened = carry(client, portOf(request));
        server = opened;
        keep(opened, () => client);
        setTimeout(() => {
          if (!client.destroyed) client.write(CONNECTED);
        }, shape.roundTripMs);
      });
    });
  });

  async function close(): Promise<void> {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  }

  return new Promise((resolve, reject) => {
    proxy.once("error", reject);
    proxy.listen(0, "127.0.0.1", () => {
      const address = proxy.address();
      if (address === null || typeof address === "string") reject(new Error("no port was given"));
      else resolve({ proxy: `socks5://127.0.0.1:${address.port}`, close });
    });
  });
}
