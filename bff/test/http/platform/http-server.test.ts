import { once } from "node:events";
import { request as httpRequest, type RequestListener, type ServerResponse } from "node:http";
import { connect } from "node:net";
import express, { type NextFunction, type Request, type Response } from "express";
import { afterEach, describe, expect, it } from "vitest";
import { readJsonBody } from "../../../src/platform/http/json-body.ts";
import { asApiError, renderError } from "../../../src/platform/http/render-error.ts";
import { requestContext, requestContextOf } from "../../../src/platform/http/request-context.ts";
import { apiHeaders, setHeaders } from "../../../src/platform/http/security-headers.ts";
import {
  CannotListen,
  type RunningServer,
  type ServerOptions,
  startServer,
} from "../../../src/platform/http/server.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { createTracer } from "../../../src/platform/tracing/tracing.ts";

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close({ deadlineMs: 0 })));
});

async function start(
  listener: RequestListener,
  options: Partial<ServerOptions> = {},
): Promise<RunningServer & { url: string }> {
  const server = await startServer({
    listener,
    port: 0,
    address: "127.0.0.1",
    portVariable: "ORDER_API_PORT",
    ...options,
  });
  running.push(server);
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}

/** A small app like those of the service: context, headers, one route that echoes its input, one that fails. */
function echoApp(lines: string[] = []) {
  const app = express();
  app.use(
    requestContext({
      metrics: createMetrics(),
      tracer: createTracer(),
      ids: systemIds,
      logger: createLogger({ level: "info", destination: { write: (line) => lines.push(line) } }),
    }),
  );
  app.use(setHeaders(apiHeaders));
  app.post("/echo/:token", async (request, response) => {
    const { value, bytes } = await readJsonBody(request);
    requestContextOf(request).note({ provider_id: "5a4f0c1e-0000-4000-8000-000000000001" });
    response.json({ value, bytes: bytes.length, polluted: "polluted" in {} });
  });
  app.get("/fail", () => {
    throw new Error("with 12345678-5");
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const { requestId, note } = requestContextOf(request);
    const { status, body, headers } = renderError(error, { family: "spot", language: "en", requestId });
    note({ code: asApiError(error).code });
    response.status(status).set(headers).json(body);
  });
  return app;
}

async function post(url: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/echo/secret-token`, {
    method: "POST",
    body: Buffer.from(body),
    headers: { "Content-Type": "application/json", ...headers },
  });
  return { status: response.status, body: await response.json() };
}

/** Sends raw bytes and returns everything that is received until the server closes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  socket.on("error", () => undefined);
  await once(socket, "close");
  return answer;
}

describe("a JSON body", () => {
  it("is parsed, and its raw bytes are kept", async () => {
    const { url } = await start(echoApp());
    expect(await post(url, '{"a": ["ñ", 1]}')).toEqual({
      status: 200,
      body: { value: { a: ["ñ", 1] }, bytes: 16, polluted: false },
    });
    expect(
      await post(url, "\ufeff{}", { "Content-Type": 'application/merge-patch+json; charset="UTF-8"' }),
    ).toMatchObject({ status: 200 });
  });

  it("may be left out", async () => {
    const { url } = await start(echoApp());
    const response = await fetch(`${url}/echo/x`, { method: "POST" });
    expect(await response.json()).toEqual({ bytes: 0, polluted: false });
  });

  it.each([
    ["cut", '{"a":'],
    ["not JSON", "hello"],
    ["not UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
    ["deeper than anything of ours", `${"[".repeat(40)}${"]".repeat(40)}`],
    ["deep enough to break whoever walks it", "[".repeat(30_000) + "]".repeat(30_000)],
    ["with a NUL, which no database keeps", '{"a":"x\\u0000"}'],
    ["with half a character", '{"a":"\\ud800"}'],
    ["with a NUL in a name", '{"a\\u0000":1}'],
  ])("%s is malformed_json", async (_what, body) => {
    const { url } = await start(echoApp());
    expect(await post(url, body)).toMatchObject({ status: 400, body: { code: "malformed_json" } });
  });

  it.each([
    [{ "Content-Type": "text/plain" }],
    [{ "Content-Type": "" }],
    [{ "Content-Type": "application/json; charset=latin1" }],
    [{ "Content-Encoding": "gzip" }],
  ])("declared as %j is unreadable_body", async (headers) => {
    const { url } = await start(echoApp());
    expect(await post(url, "{}", headers)).toMatchObject({ status: 400, body: { code: "unreadable_body" } });
  });

  it("cannot change a prototype", async () => {
    const { url } = await start(echoApp());
    const { body } = await post(
      url,
      '{"a":{"__proto__":{"polluted":1},"b":2},"__pro\\u0074o__":{"polluted":1},"constructor":{"prototype":{"x":1}}}',
    );
    expect(body).toMatchObject({ value: { a: { b: 2 }, constructor: { prototype: { x: 1 } } }, polluted: false });
    expect(JSON.stringify(body)).not.toContain("__proto__");
  });

  it("is read at exactly the limit and refused one byte above it, with or without a declared length", async () => {
    const { url, port } = await start(echoApp());
    const ofLength = (length: number) => `"${"x".repeat(length - 2)}"`;
    expect(await post(url, ofLength(65_536))).toMatchObject({ status: 200, body: { bytes: 65_536 } });
    expect(await post(url, ofLength(65_537))).toMatchObject({ status: 413, body: { code: "body_too_large" } });

    const chunked = httpRequest({
      port,
      method: "POST",
      path: "/echo/x",
      headers: { "Content-Type": "application/json" },
    });
    chunked.write(ofLength(40_000));
    chunked.end(ofLength(2_000_000));
    const [response] = await once(chunked, "response");
    expect(response.statusCode).toBe(413);
    response.resume();
  });

  it("leaves no request unanswered when it is cut off", async () => {
    const lines: string[] = [];
    const { port } = await start(echoApp(lines));
    const socket = connect(port, "127.0.0.1");
    socket.write("POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    await once(socket, "connect");
    socket.end();
    socket.destroy();
    await expect.poll(() => lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ route: "/echo/:token", outcome: "aborted" });
  });
});

describe("every answer", () => {
  it("carries the caller's request id if it is acceptable, else a new one", async () => {
    const { url } = await start(echoApp());
    const idFor = async (sent: string | null) =>
      (await fetch(`${url}/none`, { headers: sent === null ? {} : { "X-Request-Id": sent } })).headers.get(
        "x-request-id",
      );
    const uuid = /^[0-9a-f-]{36}$/;
    expect(await idFor("checkout-7c9e6679:12.a_b")).toBe("checkout-7c9e6679:12.a_b");
    for (const unsuitable of [
      null,
      "short-id",
      "12.345.678-5",
      "4051885600446623",
      "has spaces in it here",
      "x".repeat(129),
      "camila.rojas@example.com",
    ]) {
      expect(await idFor(unsuitable)).toMatch(uuid);
    }
  });

  it("is logged in one line with the route's pattern and never the URL", async () => {
    const lines: string[] = [];
    const { url } = await start(echoApp(lines));
    await post(url, "{}");
    await fetch(`${url}/nowhere/12345678-5?rut=12345678-5`);
    await fetch(`${url}/fail?widget_token=secret-token`);
    await fetch(`${url}/echo/%E0%A4%A`, { method: "POST" });
    await expect.poll(() => lines).toHaveLength(4);
    const parsed = lines.map((line) => JSON.parse(line));
    expect(parsed[0]).toMatchObject({
      event: "http.request",
      method: "POST",
      route: "/echo/:token",
      status: 200,
      provider_id: "5a4f0c1e-0000-4000-8000-000000000001",
      duration_ms: expect.any(Number),
    });
    expect(parsed[1]).toMatchObject({ route: "unmatched", status: 404 });
    expect(parsed[2]).toMatchObject({ route: "/fail", status: 500, code: "internal_error" });
    expect(parsed[3]).toMatchObject({ status: 404, code: "not_found" });
    expect(lines.join("")).not.toMatch(/12345678|secret-token|rut=/);
  });

  it("has the security headers", async () => {
    const { url } = await start(echoApp());
    const { headers } = await fetch(`${url}/none`);
    for (const [name, value] of apiHeaders)
      if (name !== "Content-Security-Policy") expect(headers.get(name), name).toBe(value);
  });
});

describe("a server", () => {
  it("names a port that is in use, and the variable to change", async () => {
    const { port } = await start(echoApp());
    const second = start(echoApp(), { port });
    await expect(second).rejects.toBeInstanceOf(CannotListen);
    await expect(second).rejects.toThrow(new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken.*ORDER_API_PORT`));
  });

  it("finishes running requests when it closes, accepts no new ones, and does not wait for idle connections", async () => {
    const asked: ServerResponse[] = [];
    const { port, close, url } = await start((_request, response) => asked.push(response));
    const idle = connect(port, "127.0.0.1");
    await once(idle, "connect");
    const underWay = fetch(url);
    await expect.poll(() => asked).toHaveLength(1);
    const closed = close();
    await expect(fetch(url)).rejects.toThrow();
    asked[0]?.end("done");
    const response = await underWay;
    expect(await response.text()).toBe("done");
    idle.destroy();
    expect(await closed).toEqual({ forced: false });
  });

  it("waits a limited time for an answer", async () => {
    let isAsked = false;
    const { url, close } = await start(() => {
      isAsked = true;
    });
    const hanging = fetch(url).catch((error: unknown) => error);
    await expect.poll(() => isAsked).toBe(true);
    expect(await close({ deadlineMs: 30 })).toEqual({ forced: true });
    expect(await hanging).toBeInstanceOf(Error);
  });

  it("cuts off a request whose headers or body never end", async () => {
    const { port } = await start(echoApp(), { timeouts: { headersMs: 100, requestMs: 200 } });
    expect(await raw(port, "GET / HTTP/1.1\r\nHost: x\r\n")).toContain("408");
    expect(
      await raw(
        port,
        "POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{",
      ),
    ).toContain("408");
  });
});
