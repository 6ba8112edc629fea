import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../platform/http/api-error.ts";
import { dropRest } from "../../platform/http/json-body.ts";
import { splitForm } from "./multipart.ts";
import { type FormLimits, fieldRefusal, readForm } from "./read-form.ts";
import { type ReceivedFile, receiveFile } from "./receive-file.ts";

const pdf = (bytes: number) => Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(bytes - 9, "x")]);
const limits: FormLimits = {
  filesMax: 5,
  fieldsMax: 10,
  fieldBytesMax: 1_000,
  timeoutMs: 60_000,
};

/** A storage in memory that records the received bytes and whether each write was completed. */
function memoryStorage() {
  const files = new Map<string, { bytes: number; complete: boolean }>();
  const contents = new Map<string, Buffer>();
  return {
    files,
    async put(name: string, content: AsyncIterable<Uint8Array> | Uint8Array) {
      const kept = { bytes: 0, complete: false };
      files.set(name, kept);
      if (content instanceof Uint8Array) throw new Error("expected a stream");
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) {
        chunks.push(chunk);
        kept.bytes += chunk.length;
      }
      kept.complete = true;
      contents.set(name, Buffer.concat(chunks));
    },
    get: async (name: string) => contents.get(name) ?? Buffer.alloc(0),
    list: async () => [],
    delete: async (name: string) => void files.delete(name),
  };
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function deferred<T>() {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value: T) => settle(value) };
}

interface Read {
  fields: [string, string][];
  files: ReceivedFile[];
  failure: unknown;
  storage: ReturnType<typeof memoryStorage>;
}

/** A server that reads one form and reports the result both to the client and to the test. */
async function formServer(given: Partial<FormLimits> = {}) {
  const begun: Read[] = [];
  const reads: Read[] = [];
  const { promise: first, resolve: firstRead } = deferred<Read>();
  const handle = async (request: IncomingMessage) => {
    const read: Read = { fields: [], files: [], failure: undefined, storage: memoryStorage() };
    begun.push(read);
    try {
      await readForm(
        request,
        {
          isFile: (name) => name === "uploaded_files",
          onField(name, value) {
            if (name === "bad") throw fieldRefusal(name, "is bad");
            read.fields.push([name, value]);
          },
          async onFile(field, name, content) {
            if (field === "bad") throw fieldRefusal(field, "is not read");
            const storageName = `file-${read.storage.files.size}`;
            const position = read.files.length + 1;
            read.files.push(await receiveFile(read.storage, { storageName, name, position, content }));
          },
        },
        { ...limits, ...given },
      );
    } catch (error) {
      read.failure = error;
      dropRest(request);
    }
    reads.push(read);
    firstRead(read);
    return read;
  };
  const server = createServer((request, response) => {
    void handle(request).then(({ failure }) => {
      response.statusCode = failure === undefined ? 200 : 400;
      response.end(failure instanceof ApiError ? failure.code : String(failure ?? "ok"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const post = async (form: FormData) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: form });
    return { status: response.status, code: await response.text(), read: reads.at(-1) };
  };
  return { port, begun, reads, first, post };
}

function formOf(...parts: readonly (readonly [string, string | Buffer, string?])[]): FormData {
  const form = new FormData();
  for (const [name, value, fileName] of parts) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), fileName ?? "receipt.pdf");
  }
  return form;
}

/** Sends exactly these bytes and waits until the server closes the connection or has answered. */
async function sendRaw(port: number, bytes: readonly (string | Buffer)[], end: "keep" | "hang_up"): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  const { promise, resolve } = deferred<string>();
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString();
    if (answer.includes("\r\n\r\n")) {
      socket.destroy();
      resolve(answer);
    }
  });
  socket.on("close", () => resolve(answer));
  socket.on("error", () => undefined);
  for (const part of bytes) socket.write(part);
  if (end === "hang_up") socket.end(() => socket.destroy());
  return promise;
}

const head = (length: number, boundary = "b") =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n`;

describe("readForm", () => {
  it("reads fields and files, typed by their content", async () => {
    const { post } = await formServer();
    const content = pdf(5_000);
    const { status, read } = await post(formOf(["name", "Ñusta"], ["uploaded_files", content, "boleta ñ.pdf"]));
    expect(status).toBe(200);
    expect(read?.fields).toEqual([["name", "Ñusta"]]);
    expect(read?.files).toEqual([
      {
        storageName: "file-0",
        name: "boleta ñ.pdf",
        type: "application/pdf",
        bytes: 5_000,
        sha256: createHash("sha256").update(content).digest("hex"),
        isLocked: false,
      },
    ]);
    expect(read?.storage.files.get("file-0")).toEqual({ bytes: 5_000, complete: true });
  });

  it("accepts a file of exactly 2 MB and rejects one byte more", async () => {
    const { post } = await formServer();
    expect((await post(formOf(["uploaded_files", pdf(2_097_152)]))).status).toBe(200);
    const refused = await post(formOf(["uploaded_files", pdf(2_097_153)]));
    expect(refused.code).toBe("file_too_large");
    expect(refused.read?.storage.files.get("file-0")?.complete).toBe(false);
  });

  it("accepts five files and rejects a sixth, which is not stored", async () => {
    const { post } = await formServer();
    const files = (count: number) => formOf(...Array.from({ length: count }, () => ["f", pdf(100)] as const));
    expect((await post(files(5))).read?.files).toHaveLength(5);
    const refused = await post(files(6));
    expect(refused.code).toBe("too_many_files");
    expect(refused.read?.storage.files.size).toBeLessThanOrEqual(5);
  });

  it("rejects a file that the receiver refuses unread, before the file has ended", async () => {
    const { post } = await formServer();
    expect((await post(formOf(["bad", pdf(1_000_000)]))).code).toBe("processing_error");
  });

  it("reports the first violation in the stream", async () => {
    const { post } = await formServer();
    expect((await post(formOf(["bad", "x"], ["f", pdf(2_097_153)]))).code).toBe("processing_error");
    expect((await post(formOf(["f", pdf(2_097_153)], ["bad", "x"]))).code).toBe("file_too_large");
    const sixWithBadFirst = [Buffer.from("no PDF"), ...Array.from({ length: 5 }, () => pdf(100))];
    const refused = await post(formOf(...sixWithBadFirst.map((content) => ["f", content] as const)));
    expect(refused.code).toBe("processing_error");
  });

  const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex");
  it.each([
    ["an empty file", Buffer.alloc(0)],
    ["plain text named .pdf", Buffer.from("this is not a PDF")],
    ["a PDF after 1,024 other bytes", Buffer.concat([Buffer.alloc(1_024, " "), pdf(1_000)])],
    ["a zip with a PDF's header", Buffer.concat([Buffer.from("504b0304140000000000", "hex"), pdf(1_000)])],
    ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00")],
    ["a zip", Buffer.from("504b0304140000000000", "hex")],
    ["an AVIF photo", Buffer.from("0000001c6674797061766966000000006d696631", "hex")],
    ["an SVG with a script", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ["an executable", Buffer.from("4d5a90000300000004000000ffff0000", "hex")],
  ])("rejects %s", async (_what, content) => {
    const { post } = await formServer();
    const { code, read } = await post(formOf(["f", content, "boleta.pdf"]));
    expect(code).toBe("processing_error");
    expect(read?.storage.files.size).toBe(0);
  });

  it("types a file by its content, not by its name", async () => {
    const { post } = await formServer();
    const jpeg = Buffer.from("ffd8ffe000104a46494600010100000100010000ffd9", "hex");
    const { read } = await post(formOf(["f", jpeg, "receipt.pdf"], ["f", png, "receipt.exe"]));
    expect(read?.files.map(({ type }) => type)).toEqual(["image/jpeg", "image/png"]);
  });

  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\x\\boleta.pdf", "boleta.pdf"],
    ["a\u202Efdp.exe", "afdp.exe"],
    ["..\\..", "archivo-1.pdf"],
    ["x".repeat(400), "x".repeat(255)],
  ])("drops the path from the file name %j", async (given, kept) => {
    const { post } = await formServer();
    expect((await post(formOf(["f", pdf(100), given]))).read?.files[0]?.name).toBe(kept);
  });

  it("rejects a hundred fields, and truncates a field that is too long", async () => {
    const { post } = await formServer();
    const many = formOf(...Array.from({ length: 100 }, (_, index) => [`f${index}`, "x"] as const));
    expect((await post(many)).code).toBe("processing_error");
    const { code, read } = await post(formOf(["name", "x".repeat(1_001)]));
    expect({ code, fields: read?.fields }).toEqual({ code: "ok", fields: [["name", "x".repeat(1_000)]] });
  });

  it("rejects a body that is not a multipart form, or has no boundary", async () => {
    const { port } = await formServer();
    for (const [type, code] of [
      ["application/json", "no_files"],
      ["multipart/form-data", "unreadable_body"],
      ["multipart/mixed; boundary=b", "no_files"],
      ["text/plain", "no_files"],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body: "x",
        headers: { "content-type": type },
      });
      expect(await response.text()).toBe(code);
    }
  });

  it("rejects a form that ends before its last boundary, in the middle of a file or of a header", async () => {
    for (const body of [
      '--b\r\nContent-Disposition: form-data; name="f"; filename="a.pdf"\r\n\r\n%PDF-1.7 and then',
      '--b\r\nContent-Disposition: form-data; name="f"; fil',
      '--b\r\nContent-Disposition: form-data; name="n"\r\n\r\nvalue\r\n--b',
      "no boundary at all",
      "",
    ]) {
      const { port, first } = await formServer();
      expect(await sendRaw(port, [head(body.length), body], "keep")).toContain("unreadable_body");
      expect([...(await first).storage.files.values()].filter(({ complete }) => complete)).toEqual([]);
    }
  });

  it("ends when the client closes the connection in the middle of a file", async () => {
    const { port, first } = await formServer();
    const start = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.pdf"\r\n\r\n';
    await sendRaw(port, [head(1_000_000), start, pdf(100_000)], "hang_up");
    const { failure, storage } = await first;
    expect(failure).toMatchObject({ code: "unreadable_body" });
    expect(storage.files.get("file-0")?.complete).toBe(false);
  });

  it("ends when the connection breaks in the middle of a file", async () => {
    const { port, begun, first } = await formServer();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    const start = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.pdf"\r\n\r\n';
    for (const part of [head(1_000_000), start, pdf(100_000)]) socket.write(part);
    await expect.poll(() => begun[0]?.storage.files.size).toBe(1);
    socket.resetAndDestroy();
    const { failure, storage } = await first;
    expect(failure).toMatchObject({ code: "unreadable_body" });
    expect(storage.files.get("file-0")?.complete).toBe(false);
  });

  it("abandons a form that arrives too slowly", async () => {
    const { port, first } = await formServer({ timeoutMs: 100 });
    const start = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.pdf"\r\n\r\n%PDF';
    expect(await sendRaw(port, [head(1_000_000), start], "keep")).toContain("unreadable_body");
    expect((await first).failure).toMatchObject({ code: "unreadable_body" });
  });

  it("does not treat a nested multipart as a file", async () => {
    const { port } = await formServer();
    const inner = '--i\r\nContent-Disposition: file; filename="a.pdf"\r\n\r\n%PDF-1.7\r\n--i--';
    const body = `--b\r\nContent-Disposition: form-data; name="f"; filename="n"\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n${inner}\r\n--b--\r\n`;
    expect(await sendRaw(port, [head(body.length), body], "keep")).toContain("processing_error");
  });
});

describe("an encrypted PDF", () => {
  const locked = readFileSync(new URL("fixtures/aes-256-locked.pdf", import.meta.url));
  const ownerOnly = readFileSync(new URL("fixtures/aes-256-owner-only.pdf", import.meta.url));

  it("is stored, and read back to check whether it needs a password", async () => {
    const { post } = await formServer();
    const { status, read } = await post(formOf(["f", locked], ["f", ownerOnly], ["f", pdf(100)]));
    expect([status, read?.files.map(({ isLocked }) => isLocked)]).toEqual([200, [true, false, false]]);
  });

  it.each([0, 3, 64 * 1_024 - 4])("is detected wherever its chunks are split (%i bytes before)", async (before) => {
    const { post } = await formServer();
    const { read } = await post(formOf(["f", Buffer.concat([pdf(before + 9), locked])]));
    expect(read?.files).toMatchObject([{ isLocked: true }]);
  });
});

describe("variants that forms send in practice", () => {
  const content = pdf(100);
  type Part = readonly [head: string, content: Buffer | string];
  const HEAD = 'Content-Disposition: form-data; name="uploaded_files"';

  async function sendParts(parts: readonly Part[]) {
    const { port, first } = await formServer();
    const bytes = parts.flatMap(([head, body]) => ["--b\r\n", Buffer.from(head, "latin1"), "\r\n\r\n", body, "\r\n"]);
    const body = Buffer.concat([...bytes, "--b--\r\n"].map((chunk) => Buffer.from(chunk)));
    const answer = await sendRaw(port, [head(body.length), body], "keep");
    const { files, fields, failure } = await first;
    return { status: answer.slice(9, 12), names: files.map(({ name }) => name), files, fields, failure };
  }

  it.each([
    ["a browser", `${HEAD}; filename=""\r\nContent-Type: application/octet-stream`],
    ["a browser that names a type", `${HEAD}; filename=""\r\nContent-Type: image/png`],
    ["a library without a name", HEAD],
  ])("ignores the empty file input of %s, before and after a receipt", async (_sender, empty) => {
    const receipt: Part = [`${HEAD}; filename="boleta.pdf"`, content];
    const { status, names } = await sendParts([
      [empty, ""],
      receipt,
      [empty, ""],
      [empty, ""],
      [empty, ""],
      [empty, ""],
    ]);
    expect({ status, names }).toEqual({ status: "200", names: ["boleta.pdf"] });
    expect(await sendParts([[empty, ""]])).toMatchObject({ status: "200", names: [] });
  });

  it("rejects an empty file with a name", async () => {
    expect((await sendParts([[`${HEAD}; filename="boleta.pdf"`, ""]])).failure).toMatchObject({
      code: "processing_error",
    });
  });

  it("counts empty file inputs, so that a form of only these ends", async () => {
    const empty: Part = [`${HEAD}; filename=""`, ""];
    const { failure } = await sendParts(Array.from({ length: limits.fieldsMax + 1 }, () => empty));
    expect(failure).toMatchObject({ code: "processing_error" });
  });

  const utf8 = (text: string) => Buffer.from(text).toString("latin1");
  it.each([
    ["no name", "", "archivo-1.pdf"],
    ["an empty name", '; filename=""', "archivo-1.pdf"],
    ["an empty extended name", "; filename*=", "archivo-1.pdf"],
    ["only a path", '; filename="/tmp/"', "archivo-1.pdf"],
    ["RFC 5987", "; filename*=UTF-8''bolet%C3%A1%20%F0%9F%A7%BE.pdf", "boletá 🧾.pdf"],
    [
      "RFC 5987 in Latin-1, with a plain name",
      `; filename="x.pdf"; filename*=iso-8859-1'es'bolet%E1.pdf`,
      "boletá.pdf",
    ],
    ["a truncated escape", "; filename*=UTF-8''bole%2", "bole%2"],
    ["bytes that are not UTF-8", "; filename*=UTF-8''bolet%E1.pdf", "boletá.pdf"],
    ["no charset", "; filename*=boleta%20uno.pdf", "boleta uno.pdf"],
    ["an unknown charset", "; filename*=klingon''boleta.pdf", "boleta.pdf"],
    ["RFC 2231 in pieces", "; filename*1*=%C3%A1.pdf; filename*0*=UTF-8''bolet", "boletá.pdf"],
    ["RFC 2231 in plain pieces", '; filename*0="boleta"; filename*1=".pdf"', "boleta.pdf"],
    ["UTF-8 bytes", `; filename="${utf8("boletá 🧾.pdf")}"`, "boletá 🧾.pdf"],
    ["Latin-1 bytes", '; filename="bolet\xe1.pdf"', "boletá.pdf"],
    ["percent-encoded quotes", '; filename="la %22boleta%22.pdf"', 'la "boleta".pdf'],
    ["escaped quotes", String.raw`; filename="la \"boleta\".pdf"`, 'la "boleta".pdf'],
    ["unescaped quotes", '; filename="la "boleta".pdf"', 'la "boleta".pdf'],
    ["an unclosed quote", '; filename="boleta.pdf', "boleta.pdf"],
    ["no quotes", "; filename=la boleta.pdf ; size=3", "la boleta.pdf"],
    ["a Windows path", String.raw`; filename="C:\Users\ana\boleta.pdf"`, "boleta.pdf"],
    ["a semicolon", '; filename="boleta; copia.pdf"', "boleta; copia.pdf"],
    ["a parameter without a value", '; foo; filename="boleta.pdf";', "boleta.pdf"],
    ["control characters", '; filename="bol\x00eta\x7f.pdf"', "boleta.pdf"],
    ["300 characters", `; filename="${"x".repeat(300)}.pdf"`, "x".repeat(255)],
    ["a folded line", '\r\n ; filename="boleta.pdf"', "boleta.pdf"],
  ])("accepts a file named with %s", async (_what, fileName, name) => {
    const { status, files } = await sendParts([[`${HEAD}${fileName}`, content]]);
    expect({ status, files }).toMatchObject({ status: "200", files: [{ name, bytes: content.length }] });
  });

  it("accepts a PDF whose header is within the first 1,024 bytes, and stores it unchanged", async () => {
    const before = ["\r\n", "\ufeff", "HTTP/1.1 200 OK\r\n\r\n", "<html>", " ".repeat(1_019)].map((text) =>
      Buffer.from(text),
    );
    for (const late of before.map((bytes) => Buffer.concat([bytes, content]))) {
      const { files } = await sendParts([[`${HEAD}; filename="boleta.pdf"`, late]]);
      const sha256 = createHash("sha256").update(late).digest("hex");
      expect(files).toMatchObject([{ type: "application/pdf", bytes: late.length, sha256 }]);
    }
  });

  it("reads fields in their charset, even if usual headers are missing", async () => {
    const field = (head: string, value: string): Part => [head, Buffer.from(value, "latin1")];
    const { fields } = await sendParts([
      field('content-disposition: FORM-DATA; NAME="name"\r\nContent-Type: text/plain; charset=ISO-8859-1', "Mu\xf1oz"),
      field("Content-Disposition: attachment; name=date", "2026-11-21"),
      field(
        'X-Other: 1\r\nContent-Disposition: form-data; name="tot\xc3\xa1l"\r\nContent-Type: text/plain; charset=klingon',
        "1",
      ),
    ]);
    expect(fields).toEqual([
      ["name", "Muñoz"],
      ["date", "2026-11-21"],
      ["totál", "1"],
    ]);
    expect((await sendParts([["", "x"]])).failure).toMatchObject({ code: "processing_error" });
  });

  // A head of 16 KiB takes at most 1.1 ms, and a 64 KiB chunk of repeated boundary starts 1.3 ms.
  it.each([
    ["semicolons", ";".repeat(16_000)],
    ["blanks", `; ${" ".repeat(16_000)}x`],
    ["quotes", `; filename="${'" '.repeat(8_000)}`],
    ["backslashes", `; filename="${"\\\\".repeat(8_000)}`],
    ["escapes", `; filename*=UTF-8''${"%C3".repeat(5_000)}`],
    ["pieces", Array.from({ length: 900 }, (_, index) => `; filename*${index}=x`).join("")],
  ])("accepts a file whose head has hostile %s", async (_what, fileName) => {
    expect((await sendParts([[`${HEAD}${fileName}`, content]])).status).toBe("200");
  });

  it("rejects a head longer than 16 KiB", async () => {
    const { failure } = await sendParts([[`${HEAD}; filename="${"x".repeat(17_000)}"`, content]]);
    expect(failure).toMatchObject({ code: "unreadable_body" });
  });

  it("finds each boundary wherever the bytes are split", async () => {
    const parts = ["--b\r\n", `${HEAD}; filename="a.pdf"\r\n\r\n`, content, "\r\n--\r\n--c\r\n-", "\r\n--b--\r\n"];
    const body = Buffer.concat(parts.map((chunk) => Buffer.from(chunk)));
    for (let at = 1; at < body.length; at += 7) {
      const read: Buffer[] = [];
      const chunks = async function* () {
        yield body.subarray(0, at);
        for (const byte of body.subarray(at, at + 40)) yield Buffer.of(byte);
        yield body.subarray(at + 40);
      };
      for await (const part of splitForm(chunks(), "b")) for await (const chunk of part.content) read.push(chunk);
      expect(Buffer.concat(read).toString("latin1")).toBe(`${content.toString("latin1")}\r\n--\r\n--c\r\n-`);
    }
  });
});

it.each([
  ["total", "The submission could not be processed: total: is bad."],
  ["", "The submission could not be processed: is bad."],
])("fieldRefusal names the problem, and the field if it has a name: %j", (path, detail) => {
  expect(fieldRefusal(path, "is bad")).toMatchObject({ code: "processing_error", detail });
});

describe("discarding the rest of a rejected form", () => {
  it("lets a client that is still sending read its answer, and stops at the limit", async () => {
    const { port, first } = await formServer();
    const start = '--b\r\nContent-Disposition: form-data; name="bad"\r\n\r\nx\r\n--b\r\n';
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    let sent = 0;
    const chunk = Buffer.alloc(1024 * 1024, "x");
    socket.on("data", (data: Buffer) => (answer += data.toString()));
    socket.on("error", () => undefined);
    socket.write(head(1024 * 1024 * 1024));
    socket.write(start);
    const pump = () => {
      while (!socket.destroyed && sent < 1024) {
        sent += 1;
        if (!socket.write(chunk)) {
          socket.once("drain", pump);
          return;
        }
      }
    };
    pump();
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    expect((await first).failure).toMatchObject({ code: "processing_error" });
    expect(answer).toContain("processing_error");
    expect(sent).toBeLessThan(64);
  });
});
