import { connect } from "node:net";

/**
 * The W3C WebDriver commands of the tests: their form over HTTP, and their names in Firefox, which accepts them over
 * its own socket (Marionette) without a driver in between.
 */
const COMMANDS = {
  newSession: ["POST", "", "WebDriver:NewSession"],
  endSession: ["DELETE", "", "Marionette:Quit"],
  setTimeouts: ["POST", "/timeouts", "WebDriver:SetTimeouts"],
  setWindowRect: ["POST", "/window/rect", "WebDriver:SetWindowRect"],
  open: ["POST", "/url", "WebDriver:Navigate"],
  switchToFrame: ["POST", "/frame", "WebDriver:SwitchToFrame"],
  execute: ["POST", "/execute/sync", "WebDriver:ExecuteScript"],
  click: ["POST", "/element/{id}/click", "WebDriver:ElementClick"],
  type: ["POST", "/element/{id}/value", "WebDriver:ElementSendKeys"],
  clear: ["POST", "/element/{id}/clear", "WebDriver:ElementClear"],
} as const;
export type Command = keyof typeof COMMANDS;

/** The connection to a browser. */
export interface Wire {
  /** Rejects with the browser's error if it refuses. */
  send(command: Command, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): void;
}

/** Connects to a driver that listens for HTTP, as WebKit's does. */
export function wireByHttp(driverUrl: string): Wire {
  let session = "";
  return {
    async send(command, parameters = {}) {
      const [method, path] = COMMANDS[command];
      const address = `${driverUrl}/session${session}${path.replace("{id}", String(parameters.id))}`;
      const body = method === "POST" ? { body: JSON.stringify(parameters) } : {};
      const answer = await fetch(address, { method, ...body, headers: { "content-type": "application/json" } });
      const { value } = (await answer.json()) as { value: unknown };
      if (!answer.ok) throw new Error(`${command}: ${JSON.stringify(value)}`);
      if (command === "newSession") session = `/${(value as { sessionId: string }).sessionId}`;
      return value;
    },
    close: () => undefined,
  };
}

interface Waiting {
  readonly command: Command;
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

/**
 * Connects to Firefox itself. A message is its length in bytes, a colon, and JSON: `[0, id, command, parameters]` and
 * `[1, id, error, value]`.
 */
export async function wireByMarionette(port: number): Promise<Wire> {
  const socket = connect(port, "127.0.0.1");
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const waiting = new Map<number, Waiting>();
  let received = Buffer.alloc(0);
  let sentId = 0;
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (let message = takeMessage(); message !== null; message = takeMessage()) hear(message);
  });
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    for (const { command, reject } of waiting.values()) reject(new Error(`${command}: Firefox has gone.`));
  });

  function takeMessage(): unknown {
    const colon = received.indexOf(":");
    const end = colon + 1 + Number(received.subarray(0, Math.max(colon, 0)).toString());
    if (colon === -1 || received.length < end) return null;
    const text = received.subarray(colon + 1, end).toString();
    received = received.subarray(end);
    return JSON.parse(text);
  }
  function hear(message: unknown): void {
    // The server's greeting is not an answer.
    if (!Array.isArray(message)) return;
    const [, id, error, value] = message;
    const { command, resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error === null) resolve?.(isWrapped(value) ? value.value : value);
    else reject?.(new Error(`${command}: ${JSON.stringify(error)}`));
  }

  return {
    send: (command, parameters = {}) =>
      new Promise((resolve, reject) => {
        sentId += 1;
        waiting.set(sentId, { command, resolve, reject });
        const text = JSON.stringify([0, sentId, COMMANDS[command][2], parameters]);
        socket.write(`${Buffer.byteLength(text)}:${text}`);
      }),
    close: () => socket.destroy(),
  };
}

function isWrapped(value: unknown): value is { readonly value: unknown } {
  return typeof value === "object" && value !== null && "value" in value;
}
