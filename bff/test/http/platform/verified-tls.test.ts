import { generateKeyPairSync, sign } from "node:crypto";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/platform/http/guarded-fetch.ts";

const NAME = "hooks.clinic.example";

let server: Http2SecureServer;
let versions: string[] = [];
let requests = 0;
let certificate: string;
beforeAll(async () => {
  const made = selfSigned(NAME);
  certificate = made.cert;
  server = createSecureServer({ ...made, allowHTTP1: true }, (request, response) => {
    requests += 1;
    versions.push(request.httpVersion);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void server.close());

/** Calls the server on this machine by a name, with the given trusted certificates. */
async function call(name: string, certificateAuthority?: string): Promise<number> {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const trust = certificateAuthority === undefined ? {} : { certificateAuthority };
  const guarded = createGuardedFetch({ allowLoopback: true, resolve, ...trust });
  const url = `https://${name}:${(server.address() as AddressInfo).port}/`;
  const limits = { timeoutMs: 10_000, redirectsMax: 0, answerBytesMax: 100, longerAnswer: "cut" } as const;
  try {
    return (await guarded.fetch({ url, method: "POST", body: "{}", ...limits })).status;
  } finally {
    await guarded.close();
  }
}

it("nothing is sent to a server whose certificate is untrusted or belongs to another host", async () => {
  await expect(call(NAME)).rejects.toMatchObject({ name: "FetchFailed", reason: "tls" });
  await expect(call("elsewhere.example", certificate)).rejects.toMatchObject({
    name: "FetchFailed",
    reason: "tls",
  });
  expect(requests).toBe(0);
  expect(await call(NAME, certificate)).toBe(204);
});

it("a server that also offers HTTP/2 is called over HTTP/1.1, and the connection is closed after the call", async () => {
  versions = [];
  expect(await call(NAME, certificate)).toBe(204);
  expect(versions).toEqual(["1.1"]);
});

/** A self-signed certificate, valid for one name, in X.509's own encoding (RFC 5280, section 4.1). */
function selfSigned(name: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = sequence(object("2a8648ce3d040302"));
  const subject = sequence(element(0x31, sequence(object("550403"), element(0x0c, Buffer.from(name)))));
  const validity = sequence(...["200101000000Z", "491231235959Z"].map((at) => element(0x17, Buffer.from(at))));
  const alternativeNames = sequence(element(0x82, Buffer.from(name)));
  const body = sequence(
    element(0xa0, element(0x02, Buffer.of(2))),
    element(0x02, Buffer.of(1)),
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, sequence(sequence(object("551d11"), element(0x04, alternativeNames)))),
  );
  const signature = element(0x03, Buffer.of(0), sign("sha256", body, privateKey));
  const text = sequence(body, algorithm, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts);
}

function object(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, "hex"));
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const bytes = length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), bytes, content]);
}
