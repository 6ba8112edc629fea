import { once } from "node:events";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { Agent, request } from "undici";

/*
 * Sends arbitrary requests, valid or not, to a connector under test. The service itself uses `connector.ts`, which
 * sends nothing invalid and does not report why an answer was unusable.
 */

export interface ProbeRequest {
  /** An operation's path, such as `/bank/transfer`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The connector's reply. */
export interface Reply {
  /** Null if there was no reply, or it did not end. */
  readonly status: number | null;
  readonly headers: string;
  /** The received part of the body. */
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  /** Why there is no reply; null if there is one. */
  readonly failure: "no end in time" | "too long" | "closed" | null;
}

export interface Probe {
  send(asked: ProbeRequest): Promise<Reply>;
  /** Sends the whole request and closes the connection without waiting for the answer. */
  sendAndHangUp(asked: ProbeRequest): Promise<void>;
  close(): Promise<void>;
}

export interface ProbeConfig {
  readonly baseUrl: string;
  readonly deadlineMs: number;
  readonly answerBytesMax: number;
}

export function createProbe(config: ProbeConfig): Probe {
  const agent = new Agent({ connections: 8, pipelining: 1, allowH2: false });
  const urlOf = (path: string) => new URL(`${config.baseUrl.replace(/\/$/, "")}${path}`);
  return {
    async send({ path, headers, body }) {
      const signal = AbortSignal.timeout(config.deadlineMs);
      const came = { status: null as number | null, headers: "", text: "" };
      try {
        const answer = await request(urlOf(path), { dispatcher: agent, method: "POST", headers, body, signal });
        came.headers = JSON.stringify(answer.headers);
        for await (const chunk of answer.body) {
          came.text += (chunk as Buffer).toString("utf8");
          if (came.text.length > config.answerBytesMax) return { ...came, json: undefined, failure: "too long" };
        }
        return { ...came, status: answer.statusCode, json: readJson(came.text), failure: null };
      } catch {
        return { ...came, json: undefined, failure: signal.aborted ? "no end in time" : "closed" };
      }
    },
    async sendAndHangUp({ path, headers, body }) {
      const url = urlOf(path);
      const start = url.protocol === "https:" ? requestSecure : requestPlain;
      const sending = start(url, { method: "POST", headers, agent: false, timeout: config.deadlineMs });
      sending.on("timeout", () => sending.destroy());
      sending.end(body);
      // The inquiry that follows reports an unreachable connector.
      await once(sending, "finish").catch(() => undefined);
      sending.on("error", () => undefined).destroy();
    },
    close: () => agent.close(),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
