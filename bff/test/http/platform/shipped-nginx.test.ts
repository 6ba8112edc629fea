import { EventEmitter, once } from "node:events";
import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { Agent, fetch } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Certificate, makeCertificate } from "../../../lab/crash/certificate.ts";
import { freePorts } from "../../../lab/crash/free-ports.ts";
import { nginxProgram } from "../../../lab/crash/nginx.ts";
import { SHIPPED_NGINX, startShippedConsoleNginx, startShippedNginx } from "../../../lab/crash/shipped-nginx.ts";
import { NOT_TAKEN } from "../../../src/app/listen.ts";
import { consoleEndpoints } from "../../../src/back-office/console/console-endpoints.ts";
import { type ErrorCode, errorBodySchema, errorCodes } from "../../../src/contract/errors.ts";
import { operationsEndpoints } from "../../../src/contract/operations-endpoints.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import { RETURN_PATH } from "../../../src/contract/widget-page.ts";
import { expressPath } from "../../../src/platform/http/express-endpoint.ts";
import { requestIdOf } from "../../../src/platform/http/request-context.ts";
import { systemIds } from "../../../src/platform/ids.ts";

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;
const serves: Behaviour = (_request, response) => void response.end("served");
/** Behaves like a process that is killed while it works on a request. */
const dies: Behaviour = ({ socket }) => void socket.destroy();
const answers =
  (status: number): Behaviour =>
  (_request, response) =>
    void response.writeHead(status, { Connection: "close" }).end(`${status}`);

/** One of the two processes. It records what it has read. */
interface Process {
  readonly seen: string[];
  /** The ids that it gives these requests. */
  readonly ids: string[];
  behaviour: Behaviour;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const REFUND = "/orders/3f2504e0-4f89-41d3-9a0c-0305e82c3301/refund";
const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

/** nginx cannot read a path or a header, of which the service's text in English says nothing. */
const UNREADABLE = {
  en: "The request could not be read: it was not sent over HTTPS, or its first line, a header or its body is malformed, cut or not supported.",
  es: errorCodes.unreadable_body.es,
};

/** The path parameters of endpoints that may be logged; any other is a secret or a RUT. */
const LOGGED_PARAMETERS = ["hash", "id", "name", "number", "payout", "endpoint"];
const endpoints = [orderEndpoints, spotEndpoints, webhookEndpoints, operationsEndpoints].flatMap((group) =>
  Object.values(group),
);

/** The paths with a secret or a RUT at each nginx, by the declared endpoints and the routes of pages. */
async function secretPaths() {
  const paths: { readonly at: "console" | "patients"; readonly path: string }[] = [];
  const isLogged = (path: string) =>
    (path.match(/(?<=\{)\w+/g) ?? []).every((name) => LOGGED_PARAMETERS.includes(name));
  for (const { path } of endpoints) if (!isLogged(path)) paths.push({ at: "patients", path: expressPath(path) });
  for (const { path } of Object.values(consoleEndpoints))
    if (!isLogged(path)) paths.push({ at: "console", path: expressPath(path) });
  const cwd = fileURLToPath(new URL("../../../", import.meta.url));
  for await (const file of glob("{src,connectors}/**/*.ts", { cwd, exclude: ["**/*.test.ts", "**/stand-in/**"] })) {
    const text = await readFile(join(cwd, file), "utf8");
    for (const [, route = ""] of text.matchAll(/\.(?:get|post|all|route)\(\s*["`]([^"`]*\/:[^"`]*)["`]/g))
      paths.push({
        at: file.startsWith("src/back-office/") ? "console" : "patients",
        path: route.replace(/^\$\{RETURN_PATH\}/, RETURN_PATH),
      });
  }
  return paths;
}

/** If nginx is not installed, the check itself reports that. */
describe.skipIf(nginxProgram() === null)("deploy/nginx.conf", () => {
  let folder: string;
  let certificate: Certificate;
  let agent: Agent;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "aapd-nginx-"));
    certificate = await makeCertificate(folder);
    agent = new Agent({ connect: { ca: certificate.cert } });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(async () => {
    await agent.close();
    await rm(folder, { recursive: true });
  });

  /** A new nginx in front of two processes, so that no process is skipped because of an earlier test. */
  async function start(file = SHIPPED_NGINX) {
    const [front = 0, one = 0, other = 0, ...unused] = await freePorts(5);
    const processes = [await startProcess(one), await startProcess(other)] as const;
    closing.push(...processes.map(({ stop }) => stop));
    const behind = [one, other].map((port) => [port, port, port]);
    const fronts = [front, ...unused];
    const nginx = await startShippedNginx({ folder, certificate, fronts, behind, file });
    closing.push(nginx.stop);
    const ask = async (method: string, body = "a body", headers: Readonly<Record<string, string>> = {}) => {
      const sent = method === "GET" ? { headers } : { body, headers };
      const response = await fetch(`https://127.0.0.1:${front}${REFUND}`, { method, ...sent, dispatcher: agent });
      return [response.status, await response.text()] as const;
    };
    const seen = () => processes.flatMap((process) => process.seen);
    return { processes, fronts, ask, seen };
  }

  it.each(METHODS)("never repeats a %s whose process dies while processing it", async (method) => {
    const { processes, ask, seen } = await start();
    for (const process of processes) process.behaviour = dies;
    const body = method === "GET" ? "" : "a body";
    expect(await ask(method)).toMatchObject([502, {}]);
    expect(seen()).toEqual([`${method} ${body}`]);
    // Both have failed by now, and each request goes to the groups with both processes.
    for (const count of [2, 3, 4]) {
      expect(await ask(method)).toMatchObject([502, {}]);
      expect(seen()).toHaveLength(count);
    }
  });

  it("never repeats a request with a large body whose process dies before it has read it", async () => {
    const { processes, ask, seen } = await start();
    for (const process of processes) process.behaviour = dies;
    expect(await ask("PUT", "x".repeat(3_000_000))).toMatchObject([502, {}]);
    expect(seen()).toHaveLength(1);
  });

  it.each(METHODS)("passes every %s to another process if it cannot connect", async (method) => {
    const { processes, ask } = await start();
    for (const gone of processes) {
      await gone.stop();
      for (let times = 0; times < 4; times += 1) expect(await ask(method)).toEqual([200, "served"]);
      await gone.start();
    }
  });

  it.each(METHODS)("passes a %s to another process if a stopping process did not accept it", async (method) => {
    const { processes, ask, seen } = await start();
    const [one, other] = processes;
    one.behaviour = answers(NOT_TAKEN);
    for (let times = 0; times < 4; times += 1) expect(await ask(method)).toEqual([200, "served"]);
    expect(other.seen).toHaveLength(4);
    // The other process has just failed, so nginx skips it.
    other.behaviour = dies;
    expect(await ask(method)).toMatchObject([502, {}]);
    other.behaviour = serves;
    const before = other.seen.length;
    expect(await ask(method)).toEqual([200, "served"]);
    expect(other.seen).toHaveLength(before + 1);
    other.behaviour = answers(NOT_TAKEN);
    expect(await ask(method)).toEqual([NOT_TAKEN, `${NOT_TAKEN}`]);
    expect(seen().length).toBeGreaterThan(0);
  });

  it("gives a suspended process no more requests than the other works on", async () => {
    const { processes, ask } = await start();
    const [suspended, other] = processes;
    const held: ServerResponse[] = [];
    suspended.behaviour = (_request, response) => void held.push(response);
    const answered: number[] = [];
    const asked = Array.from({ length: 20 }, async () => {
      const [status] = await ask("GET");
      answered.push(status);
    });
    await expect.poll(() => answered.length + held.length).toBe(20);
    for (let times = 0; times < 20; times += 1) expect((await ask("GET"))[0]).toBe(200);
    expect(suspended.seen.length).toBeLessThan(other.seen.length);
    for (const response of held) response.end("served");
    await Promise.all(asked);
  });

  it("processes 256 requests of one address at a time, and answers the next one 429", async () => {
    const { processes, fronts, ask } = await start();
    const waiting: ServerResponse[] = [];
    const arrived = new EventEmitter();
    for (const process of processes)
      process.behaviour = (_request, response) => {
        waiting.push(response);
        arrived.emit("request");
      };
    const accepted = Array.from({ length: 256 }, () => ask("GET"));
    while (waiting.length < 256) await once(arrived, "request");
    const refused = await fetch(`https://127.0.0.1:${fronts[0]}/`, { dispatcher: agent });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toEqual({
      detail: errorCodes.rate_limited.en,
      code: "rate_limited",
      retry_after_seconds: 1,
    });
    for (const response of waiting) response.end("served");
    expect(new Set((await Promise.all(accepted)).map(([status]) => status))).toEqual(new Set([200]));
  });

  it.each([500, 502, 503])(
    "passes the service's own %i to its caller, without asking another process",
    async (status) => {
      const { processes, ask, seen } = await start();
      for (const process of processes) process.behaviour = answers(status);
      for (let times = 1; times <= 4; times += 1) {
        expect(await ask("PUT")).toEqual([status, `${status}`]);
        expect(seen()).toHaveLength(times);
      }
    },
  );

  it("logs no token, reference or RUT of a path, nor the secret of an operator's sign-in link", async () => {
    const { fronts } = await start();
    const [front = 0, behind = 0] = await freePorts(2);
    const place = join(folder, "console");
    const consoleNginx = await startShippedConsoleNginx({ folder: place, certificate, front, behind });
    closing.push(consoleNginx.stop);
    const paths = await secretPaths();
    expect(paths.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "/api/spot/widget/:token",
        "/api/spot/returns/:reference",
        "/return/:reference",
        "/card/:id/return",
        "/sign-in/link/:secret",
      ]),
    );
    for (const [at, port, log] of [
      ["patients", fronts[1], join(folder, "nginx/access.log")],
      ["console", front, join(place, "nginx/access.log")],
    ] as const) {
      const ask = (target: string) =>
        answerTo(port ?? 0, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      for (const { path } of paths.filter((one) => one.at === at)) {
        const planted = (literal: string) => literal.replaceAll(/:\w+/g, "planted-secret");
        // Express accepts a path in any case.
        for (const target of [planted(path), planted(path.toUpperCase()), `/${planted(path)}`, `${planted(path)}/?a=b`])
          await ask(target);
      }
      await ask("/the-last-one?token=planted-secret");
      await expect.poll(() => readFile(log, "utf8")).toContain("/the-last-one");
      const logged = await readFile(log, "utf8");
      expect(logged.split("\n").filter((line) => line.includes("planted-secret"))).toEqual([]);
      expect(logged).toContain("/***");
    }
  });

  it("logs and answers the id that the process saw, the caller's own unless it may hold a card number", async () => {
    const { processes, ask } = await start();
    for (const process of processes) process.behaviour = dies;
    const own = /^[\da-f]{12}x[\da-f]{12}x[\da-f]{8}$/;
    const kept = [
      "checkout-7c9e6679:12.a_b",
      "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
      "x".repeat(128),
      "123456789012-a-345",
    ];
    const replaced = [
      ...["", "short-id", "12.345.678-5", "1234567890123456", "has spaces in it here", "x".repeat(129)],
      ...["order-4051885600446623", "4051-8856.0044:6623-a", "a_4111_1111_1111_1111"],
    ];
    for (const sent of [...kept, ...replaced]) {
      for (const { ids } of processes) ids.splice(0);
      const [status, body] = await ask("PUT", "a body", sent === "" ? {} : { "X-Request-Id": sent });
      const { request_id: id = "" } = errorBodySchema.parse(JSON.parse(body));
      expect([status, processes.flatMap(({ ids }) => ids)]).toEqual([502, [id]]);
      if (kept.includes(sent)) expect(id).toBe(sent);
      else expect(id).toMatch(own);
      await expect.poll(() => readFile(join(folder, "nginx/access.log"), "utf8")).toContain(` ${id}\n`);
    }
  });

  describe("its own errors", () => {
    const own: Readonly<Record<string, { readonly sent: string; readonly code: ErrorCode }>> = {
      "too large a body": {
        sent: `PUT ${REFUND}?token=secret HTTP/1.1\r\nHost: a\r\nContent-Length: 70000000\r\n\r\n`,
        code: "body_too_large",
      },
      "a request that is not HTTP": { sent: "\u0001\r\n\r\n", code: "unreadable_body" },
      "no host": { sent: `GET ${REFUND} HTTP/1.1\r\n\r\n`, code: "unreadable_body" },
      "too long a path": {
        sent: `GET /${"a".repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
        code: "unreadable_body",
      },
      "too long a header": {
        sent: `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${"a".repeat(9_000)}\r\n\r\n`,
        code: "unreadable_body",
      },
      "a transfer encoding that it does not know": {
        sent: `PUT ${REFUND} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n`,
        code: "unreadable_body",
      },
      "a version of HTTP that it does not speak": {
        sent: `GET ${REFUND} HTTP/3.0\r\nHost: a\r\n\r\n`,
        code: "unreadable_body",
      },
      TRACE: { sent: `TRACE ${REFUND} HTTP/1.1\r\nHost: a\r\n\r\n`, code: "method_not_allowed" },
      "the place of its errors": { sent: "GET /aapd-error HTTP/1.1\r\nHost: a\r\n\r\n", code: "not_found" },
      "no process": {
        sent: `PUT ${REFUND} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        code: "upstream_unavailable",
      },
    };

    it("have the status, body and language of the service's errors at each address", async () => {
      const { processes, fronts } = await start();
      for (const { stop } of processes) await stop();
      const passedOn = "GET, HEAD, OPTIONS, POST, PUT, DELETE";
      for (const [number, front] of fronts.entries()) {
        const language = number === 2 ? "es" : "en";
        for (const [cause, { sent, code }] of Object.entries(own)) {
          const { status, headers, body } = await answerTo(front, sent);
          const error = errorBodySchema.parse(JSON.parse(body));
          const { status: wanted } = errorCodes[code];
          const detail = code === "unreadable_body" ? UNREADABLE[language] : errorCodes[code][language];
          expect([cause, status, error.detail, error.code]).toEqual([cause, wanted, detail, code]);
          expect(headers).toMatch(/^content-type: application\/json\r$/im);
          const [, id] = /^x-request-id: (\w+)\r$/im.exec(headers) ?? [];
          expect([cause, id]).toEqual([cause, error.request_id ?? expect.stringMatching(/^\w{34}$/)]);
          expect("request_id" in error).toBe(wanted >= 500);
          expect(/^allow: (.*)\r$/im.exec(headers)?.[1]).toBe(wanted === 405 ? passedOn : undefined);
        }
      }
    });

    it("are never 504, which says that nothing was done, when a process gives no answer", async () => {
      const file = join(folder, "impatient.conf");
      const shipped = await readFile(SHIPPED_NGINX, "utf8");
      await writeFile(file, shipped.replaceAll(/proxy_read_timeout \d+s;/g, "proxy_read_timeout 100ms;"));
      const { processes, ask, seen } = await start(file);
      const [gone, suspended] = processes;
      await gone.stop();
      suspended.behaviour = () => undefined;
      for (let times = 1; times <= 4; times += 1) {
        const [status, body] = await ask("PUT");
        expect([status, JSON.parse(body)]).toMatchObject([502, { code: "upstream_unavailable" }]);
        expect(seen()).toHaveLength(times);
      }
    });

    it("are a page in Spanish for a browser that opens the checkout", async () => {
      const { processes, fronts } = await start();
      for (const { stop } of processes) await stop();
      for (const [path, code] of [
        ["/", "upstream_unavailable"],
        ["/aapd-error", "not_found"],
        ["/aapd-error-page", "not_found"],
      ] as const) {
        const address = `https://127.0.0.1:${fronts[2]}${path}`;
        const response = await fetch(address, { headers: { accept: "text/html,*/*" }, dispatcher: agent });
        const { status, es } = errorCodes[code];
        expect([path, response.status]).toEqual([path, status]);
        expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(await response.text()).toContain(`<title>${es}</title>`);
      }
    });

    it("have the same form at the connectors' addresses, also for callers that are not allowed", async () => {
      const ports = await freePorts(10);
      const [fronts, [one = 0, other = 0, connectors = 0]] = [ports.slice(0, 7), ports.slice(7)];
      const behind = [one, other].map((port) => [port, port, port]);
      closing.push((await startShippedNginx({ folder, certificate, fronts, behind, connectors })).stop);
      const [, , , inside = 0, bankFile = 0, cards = 0, messages = 0] = fronts;
      for (const [front, target, code, language] of [
        [inside, "POST /connector/v1/card-processor/charge", "not_found", "en"],
        [bankFile, "POST /connector/v1/bank/transfer", "not_found", "en"],
        [bankFile, "POST /connector/v1/bank", "not_found", "en"],
        [messages, "GET /anything", "not_found", "en"],
        [messages, "POST /whatsapp/webhook", "upstream_unavailable", "en"],
        [cards, "GET /card", "not_found", "es"],
        [cards, "TRACE /card/1", "method_not_allowed", "es"],
        [cards, "GET /card/1", "upstream_unavailable", "es"],
      ] as const) {
        const { status, body } = await answerTo(front, `${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
        const error = errorBodySchema.parse(JSON.parse(body));
        const { status: wanted, [language]: detail } = errorCodes[code];
        expect([target, status, error.code, error.detail]).toEqual([target, wanted, code, detail]);
      }
      const page = await answerTo(cards, "GET /card/1 HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n");
      expect([page.status, page.body]).toEqual([
        502,
        expect.stringContaining(`<p>${errorCodes.upstream_unavailable.es}</p></html>`),
      ]);
      // A POST may have been processed: the page links to the state, and does not ask to repeat it.
      for (const path of ["/card/1/start", "/card/1/return"]) {
        const posted = `POST ${path} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nContent-Length: 0\r\n\r\n`;
        const { status, body } = await answerTo(cards, posted);
        expect([path, status]).toEqual([path, 502]);
        expect(body).toContain(
          "<p>No pudimos confirmar si tu tarjeta quedó inscrita. Todavía no se cobró la atención.</p>",
        );
        const [, link = ""] = /<a href="([^"]+)">Ver cómo quedó<\/a>/.exec(body) ?? [];
        expect(new URL(link, `https://cards.test${path}`).pathname).toBe("/card/1/");
        expect(body).not.toMatch(/Inténtalo/);
      }
    });

    it("are pages at the console, which promise nothing about a request that had no answer", async () => {
      const [front = 0, behind = 0] = await freePorts(2);
      const place = join(folder, "errors-of-the-console");
      closing.push((await startShippedConsoleNginx({ folder: place, certificate, front, behind })).stop);
      for (const [sent, status, words] of [
        ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 502, "puede estar hecho"],
        ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 70000000\r\n\r\n", 413, "demasiado grande"],
        [`GET /${"a".repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 400, "No pudimos leer"],
        ["GET /aapd-error-page HTTP/1.1\r\nHost: a\r\n\r\n", 404, "No encontramos"],
      ] as const) {
        const page = await answerTo(front, sent);
        expect([page.status, page.body]).toEqual([status, expect.stringMatching(`<p>[^<]*${words}[^<]*</p>`)]);
        expect(page.headers).toMatch(/^content-type: text\/html; charset=utf-8\r$/im);
      }
    });

    it("are logged with their id and path, without the query", async () => {
      const { fronts } = await start();
      const { headers } = await answerTo(fronts[0] ?? 0, own["too large a body"]?.sent ?? "");
      const [, id = "none"] = /^x-request-id: (\w+)\r$/im.exec(headers) ?? [];
      const log = () => readFile(join(folder, "nginx/access.log"), "utf8");
      await expect.poll(log).toContain(id);
      const line = (await log()).split("\n").find((one) => one.endsWith(id)) ?? "";
      expect(line).toMatch(new RegExp(` 413 PUT \\S+${REFUND} `));
      expect(line).not.toContain("secret");
    });
  });

  /** The answer to a request as it is sent, which no client would send. */
  async function answerTo(port: number, sent: string) {
    const socket = connect({ port, host: "127.0.0.1", ca: certificate.cert });
    socket.write(sent);
    let read = "";
    for await (const chunk of socket.setEncoding("utf8")) {
      read += chunk;
      const [, length] = /^content-length: (\d+)\r$/im.exec(read) ?? [];
      const end = read.indexOf("\r\n\r\n");
      if (end >= 0 && Buffer.byteLength(read.slice(end + 4)) >= Number(length)) break;
    }
    socket.destroy();
    const [headers = "", body = ""] = read.split("\r\n\r\n");
    return { status: Number(headers.split(" ")[1]), headers: `${headers}\r\n`, body };
  }
});

it("no error of the service has the status of an unaccepted request", () => {
  expect(Object.values(errorCodes).map(({ status }) => status)).not.toContain(NOT_TAKEN);
});

async function startProcess(port: number): Promise<Process> {
  let server: Server;
  const process: Process = {
    seen: [],
    ids: [],
    behaviour: serves,
    async start() {
      server = createServer((request, response) => {
        let body = "";
        process.ids.push(requestIdOf(request, systemIds));
        if (process.behaviour === dies && Number(request.headers["content-length"] ?? 0) > 1_000_000) {
          process.seen.push(`${request.method} a large body`);
          dies(request, response);
          return;
        }
        request.setEncoding("utf8").on("data", (chunk: string) => {
          body += chunk;
        });
        request.on("end", () => {
          process.seen.push(`${request.method} ${body}`);
          process.behaviour(request, response);
        });
      });
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  await process.start();
  return process;
}
