/**
 * The memory cost of uploads: the peak resident memory of a service in a separate process. Measured during 50
 * concurrent submissions of 5 × 2 MB, and during one upload of 1 GB, whose client must still receive its 400. Linux
 * only: the peak is read from /proc.
 *
 *     pnpm bench uploads [--json]
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { consentTexts } from "../../src/patients/consent-texts.ts";
import { freePorts } from "../crash/free-ports.ts";
import { benchOptions } from "./options.ts";
import { printRow } from "./print-row.ts";

const SUBMISSIONS = 50;
const FILES = 5;
const FILE_BYTES = 2 * 1024 * 1024;
const ENDLESS_BYTES = 1024 ** 3;
const RUT = "40100000-3";
const packageFolder = fileURLToPath(new URL("../..", import.meta.url));
const nodeOptions = ["--conditions=source"];
benchOptions(import.meta.filename);

/** Resident memory of a process in MiB: now (`VmRSS`), or its peak since it was last reset (`VmHWM`). */
function memoryMb(pid: number, field: "VmRSS" | "VmHWM"): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(line?.[1]) / 1024);
}

function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 240; tries += 1) {
    // An unknown key is refused only after a database lookup, so another answer means that the database is not open and
    // migrated yet.
    const answer = await fetch(`${url}/api/profile?public_key=x`).catch(() => null);
    if (answer?.status === 401) return;
    await wait(500);
  }
  throw new Error("The service did not start within two minutes.");
}

async function post(url: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const read: unknown = await answer.json();
  return Object.fromEntries(Object.entries(read ?? {}));
}

async function registerPatient(url: string, publicKey: string): Promise<void> {
  const { widget_token } = await post(`${url}/api/spot/widget?public_key=${publicKey}`, {});
  const consents = consentTexts("es-CL", "onboarding").filter(({ required }) => required);
  await post(`${url}/api/spot/user?public_key=${publicKey}`, {
    widget_token,
    rut: RUT,
    first_name: "Camila",
    last_name: "Rojas Fuentes",
    email: "camila@example.com",
    phone_number: "+56912345678",
    insurer: "colmena",
    consents: consents.map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 })),
  });
}

function fullForm(index: number): FormData {
  const form = new FormData();
  for (let file = 0; file < FILES; file += 1) {
    const content = Buffer.alloc(FILE_BYTES, `${index}.${file}.`);
    content.write("%PDF-1.7\n");
    form.append("uploaded_files", new Blob([new Uint8Array(content)]), `${file}.pdf`);
  }
  return form;
}

/**
 * Sends one file of 1 GB without reading, like a careless client; returns the answer and the number of bytes accepted.
 */
async function sendEndless(port: number, path: string): Promise<{ answer: string; sentMb: number }> {
  const socket = connect(port, "127.0.0.1");
  const start = '--b\r\nContent-Disposition: form-data; name="uploaded_files"; filename="a.pdf"\r\n\r\n%PDF-1.7\n';
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${ENDLESS_BYTES}\r\n\r\n`;
  const chunk = Buffer.alloc(256 * 1024, "x");
  let answer = "";
  let sent = 0;
  socket.on("data", (data: Buffer) => {
    answer += data.toString("latin1");
  });
  socket.on("error", () => undefined);
  // Not `once`, which treats the reset that is expected here as a failure.
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(head + start);
  const pump = () => {
    while (!socket.destroyed && sent < ENDLESS_BYTES) {
      sent += chunk.length;
      if (!socket.write(chunk)) {
        socket.once("drain", pump);
        return;
      }
    }
  };
  pump();
  await closed;
  return { answer, sentMb: Math.round(sent / 1024 / 1024) };
}

async function measure(pid: number, port: number, publicKey: string): Promise<void> {
  const path = `/api/spot/gastos?public_key=${publicKey}&rut=${RUT}`;
  const url = `http://127.0.0.1:${port}`;
  await registerPatient(url, publicKey);
  await fetch(url + path, { method: "POST", body: fullForm(-1) });
  printRow({ name: "uploads_resident_before", value: memoryMb(pid, "VmRSS"), unit: "MiB" });
  resetPeak(pid);
  const answers = await Promise.all(
    Array.from({ length: SUBMISSIONS }, async (_, index) => {
      const answer = await fetch(url + path, { method: "POST", body: fullForm(index) });
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  const accepted = answers.filter((status) => status === 200).length;
  printRow({ name: "uploads_accepted_of_50", value: accepted, unit: "submissions", limit: { atLeast: SUBMISSIONS } });
  printRow({ name: "uploads_peak_50_at_once", value: memoryMb(pid, "VmHWM"), unit: "MiB" });
  resetPeak(pid);
  const { answer, sentMb } = await sendEndless(port, path);
  const isRead = answer.startsWith("HTTP/1.1 400") && answer.includes("file_too_large");
  printRow({ name: "uploads_1gb_answer_read", value: isRead ? 1 : 0, unit: "yes", limit: { atLeast: 1 } });
  printRow({ name: "uploads_1gb_taken", value: sentMb, unit: "MiB" });
  printRow({ name: "uploads_1gb_peak", value: memoryMb(pid, "VmHWM"), unit: "MiB" });
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aapd-uploads-"));
  const [port = 0] = await freePorts(1);
  const env = {
    ...process.env,
    DATA_DIR: folder,
    FACES: "spot",
    SPOT_API_PORT: String(port),
    LOG_LEVEL: "error",
    INIT_CWD: packageFolder,
  };
  let service: ChildProcess | undefined;
  try {
    const create = ["provider", "create", "--json", "--name", "Clínica de Carga", "--rut", "76.900.001-1"];
    const terms = ["--commission", "7", "--commission-regime", "interest", "--support-email", "ayuda@example.com"];
    const options = { cwd: packageFolder, env, encoding: "utf8" } as const;
    const created = execFileSync(process.execPath, [...nodeOptions, "src/aapd.ts", ...create, ...terms], options);
    const publicKey = /PK_[\w-]+/.exec(created)?.[0] ?? "";
    service = spawn(process.execPath, [...nodeOptions, "sandbox/main.ts"], {
      cwd: packageFolder,
      env,
      stdio: "inherit",
    });
    if (service.pid === undefined) throw new Error("The service did not start.");
    await untilReady(`http://127.0.0.1:${port}`);
    await measure(service.pid, port, publicKey);
  } finally {
    if (service?.exitCode === null && service.kill("SIGTERM")) await once(service, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
