import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Agent, setGlobalDispatcher } from "undici";

/** A certificate for this machine and its key, in a folder. */
export interface Certificate {
  readonly certPath: string;
  readonly keyPath: string;
  readonly cert: string;
  readonly key: string;
}

/** Creates a certificate for 127.0.0.1. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const [certPath, keyPath] = [join(folder, "certificate.pem"), join(folder, "certificate-key.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", keyPath, "-out", certPath];
  await promisify(execFile)("openssl", [...made, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]);
  return { certPath, keyPath, cert: await readFile(certPath, "utf8"), key: await readFile(keyPath, "utf8") };
}

/** Makes every `fetch` of this process trust a certificate. */
export function trust({ cert }: Certificate): void {
  setGlobalDispatcher(new Agent({ connect: { ca: cert } }));
}
