import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  createGuardedFetch,
  FetchFailed,
  type GuardedFetch,
  type GuardedRequest,
  UrlRefused,
} from "./guarded-fetch.ts";
import { isPublicAddress } from "./network.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serverOf(
  listener: RequestListener,
): Promise<{ server: Server; url: string; connections: () => number }> {
  let connections = 0;
  const server = createServer(listener);
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}`, connections: () => connections };
}

function guardOf(options: Partial<Parameters<typeof createGuardedFetch>[0]> = {}): GuardedFetch {
  const guard = createGuardedFetch({ allowLoopback: false, ...options });
  closing.push(() => guard.close());
  return guard;
}

const limits = { timeoutMs: 60_000, redirectsMax: 3, answerBytesMax: 1_000, longerAnswer: "refuse" } as const;
const get = (url: string, more: Partial<GuardedRequest> = {}): GuardedRequest => ({ url, ...limits, ...more });

describe("public addresses", () => {
  it.each([
    "127.0.0.1",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::10.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:0:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "2002:7f00:1::",
    "2001::1",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "4000::1",
    "localhost",
    "",
  ])("refuses %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["8.8.8.8", "200.1.2.3", "::ffff:8.8.8.8", "2001:4860:4860::8888"])("accepts %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("the guarded fetch", () => {
  it.each([
    ["http://example.com/", "not_https"],
    ["ftp://example.com/", "not_https"],
    ["file:///etc/passwd", "not_https"],
    ["https://user:word@example.com/", "has_credentials"],
    ["no url", "malformed"],
    ["https://127.0.0.1/", "address_not_public"],
    ["https://2130706433/", "address_not_public"],
    ["https://0x7f.1/", "address_not_public"],
    ["https://[::1]/", "address_not_public"],
    ["https://[::ffff:10.0.0.1]/", "address_not_public"],
    ["https://169.254.169.254/latest/meta-data", "address_not_public"],
  ])("refuses %s as %s", async (url, reason) => {
    const guard = guardOf();
    await expect(guard.fetch(get(url))).rejects.toMatchObject({ name: "UrlRefused", reason });
    await expect(guard.check(url)).rejects.toMatchObject({ name: "UrlRefused", reason });
  });

  it("refuses a name when any one of its addresses is not public", async () => {
    const resolve = async () => [
      { address: "8.8.8.8", family: 4 },
      { address: "10.0.0.7", family: 4 },
    ];
    await expect(guardOf({ resolve }).fetch(get("https://clinic.example/"))).rejects.toMatchObject({
      reason: "address_not_public",
    });
  });

  it("checks the addresses while connecting, so that a changed answer of the name server gains nothing", async () => {
    const { url, connections } = await serverOf((_request, response) => response.end("inside"));
    const answers = [[{ address: "8.8.8.8", family: 4 }], [{ address: "127.0.0.1", family: 4 }]];
    const guard = guardOf({ resolve: async () => answers.shift() ?? [] });
    const target = `https://rebinding.example:${new URL(url).port}/`;
    await guard.check(target);
    await expect(guard.fetch(get(target))).rejects.toBeInstanceOf(UrlRefused);
    expect(connections()).toBe(0);
  });

  it("connects to the address that it checked without a second lookup", async () => {
    const { url } = await serverOf((request, response) => response.end(request.headers.host));
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const host = `receipts.example:${new URL(url).port}`;
    const answer = await guardOf({ allowLoopback: true, resolve }).fetch(get(`http://${host}/`));
    expect(Buffer.from(answer.body).toString()).toBe(host);
    expect(lookups).toBe(1);
  });

  it("never uses plain HTTP to another machine, even if loopback is allowed", async () => {
    const resolve = async () => [{ address: "8.8.8.8", family: 4 }];
    await expect(guardOf({ allowLoopback: true, resolve }).fetch(get("http://clinic.example/"))).rejects.toMatchObject({
      reason: "address_not_public",
    });
  });

  it("applies the same rules to a redirect", async () => {
    const inside = await serverOf((_request, response) => response.end("secret"));
    const { url } = await serverOf((_request, response) => {
      response.writeHead(302, { location: `http://10.0.0.1:${new URL(inside.url).port}/` }).end();
    });
    await expect(guardOf({ allowLoopback: true }).fetch(get(url))).rejects.toMatchObject({
      reason: "address_not_public",
    });
  });

  it("follows three redirects and refuses a fourth", async () => {
    const { url } = await serverOf((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end("here");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const guard = guardOf({ allowLoopback: true });
    expect((await guard.fetch(get(`${url}/3`))).status).toBe(200);
    await expect(guard.fetch(get(`${url}/4`))).rejects.toMatchObject({ reason: "too_many_redirects" });
  });

  it("returns a redirect as the answer when redirects are not allowed", async () => {
    const { url } = await serverOf((_request, response) => response.writeHead(302, { location: "/" }).end());
    expect((await guardOf({ allowLoopback: true }).fetch(get(url, { redirectsMax: 0 }))).status).toBe(302);
  });

  it("stops reading at the limit, whatever length the answer declares", async () => {
    const { url } = await serverOf((_request, response) => {
      const write = () => {
        while (response.write("x".repeat(64 * 1024)));
        response.once("drain", write);
      };
      write();
    });
    const guard = guardOf({ allowLoopback: true });
    await expect(guard.fetch(get(url))).rejects.toMatchObject({ name: "FetchFailed", reason: "too_large" });
    const cut = await guard.fetch(get(url, { longerAnswer: "cut" }));
    expect(cut.body).toHaveLength(1_000);
  });

  it("accepts an answer of exactly the limit", async () => {
    const { url } = await serverOf((_request, response) => response.end("x".repeat(1_000)));
    expect((await guardOf({ allowLoopback: true }).fetch(get(url))).body).toHaveLength(1_000);
  });

  it("gives up on an answer that never ends, and on one that never begins", async () => {
    const { url } = await serverOf((request, response) => {
      if (request.url === "/slow") response.write("a");
    });
    const guard = guardOf({ allowLoopback: true });
    for (const path of ["/slow", "/silent"]) {
      await expect(guard.fetch(get(`${url}${path}`, { timeoutMs: 100 }))).rejects.toMatchObject({ reason: "timeout" });
    }
  });

  it("gives up in time on a lookup that does not end, and sends nothing when that ends later", async () => {
    const seen: string[] = [];
    const { url } = await serverOf((request, response) => {
      seen.push(request.url ?? "");
      response.end();
    });
    let finish: (addresses: { address: string; family: number }[]) => void = () => undefined;
    const resolve = () => new Promise<{ address: string; family: number }[]>((found) => (finish = found));
    const guard = guardOf({ allowLoopback: true, resolve });
    const host = `http://slow.example:${new URL(url).port}`;
    await expect(guard.fetch(get(`${host}/late`, { timeoutMs: 100 }))).rejects.toMatchObject({ reason: "timeout" });
    finish([{ address: "127.0.0.1", family: 4 }]);
    const next = guard.fetch(get(`${host}/next`));
    finish([{ address: "127.0.0.1", family: 4 }]);
    expect((await next).status).toBe(200);
    expect(seen).toEqual(["/next"]);
  });

  it("skips an interim answer and waits for the final one", async () => {
    const { url } = await serverOf((_request, response) => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      response.writeHead(201).end("done");
    });
    const answer = await guardOf({ allowLoopback: true }).fetch(get(url));
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([201, "done"]);
  });

  it("reports an unreachable name or port", async () => {
    const dead = guardOf({ allowLoopback: true, resolve: () => Promise.reject(new Error("no such name")) });
    await expect(dead.fetch(get("https://nowhere.example/"))).rejects.toMatchObject({ reason: "dns" });
    const refused = guardOf({ allowLoopback: true }).fetch(get("http://127.0.0.1:1/"));
    await expect(refused).rejects.toMatchObject({ reason: "refused" });
  });

  it("reports a lost connection when it was closed before an answer", async () => {
    const { url } = await serverOf((request) => request.socket.destroy());
    const lost = guardOf({ allowLoopback: true }).fetch(get(url));
    await expect(lost).rejects.toBeInstanceOf(FetchFailed);
    await expect(lost).rejects.toMatchObject({ reason: "network" });
  });

  it("sends a body and returns any status", async () => {
    const { url } = await serverOf((request, response) => {
      request.pipe(response.writeHead(418, { "x-seen": String(request.headers["x-event"]) }));
    });
    const answer = await guardOf({ allowLoopback: true }).fetch(
      get(url, { method: "POST", body: '{"a":1}', headers: { "x-event": "e" } }),
    );
    expect(answer.status).toBe(418);
    expect(answer.headers["x-seen"]).toBe("e");
    expect(Buffer.from(answer.body).toString()).toBe('{"a":1}');
  });
});
