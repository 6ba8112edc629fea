import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { HEIC, JPEG, PNG, pdf, XML } from "./expense-forms.ts";
import { CAMILA, given } from "./people.ts";
import { type SpotFace, START, startSpotFace, type TestProvider } from "./spot-face.ts";

/*
 * Sends every hostile file and address to the two expense endpoints, each on a new service. The page
 * `docs/reference/hostile-uploads.md` is generated from the answers, so it cannot differ from them.
 */

/** The addresses of these names. All others resolve to this machine, which only this test allows. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "private.example": ["10.0.0.7"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:10.0.0.7"],
  "local.example": ["fe80::1"],
  "unique.example": ["fd00::7"],
  "mixed.example": ["127.0.0.1", "192.168.1.1"],
  "nowhere.example": [],
};
/** Resolves differently the second time: the service must connect to the address that it checked. */
let asked = 0;
const CHANGING = "changing.example";

const endless: RequestListener = (_request, response) => {
  const write = () => {
    while (response.write(pdf(64 * 1024)));
    response.once("drain", write);
  };
  write();
};
const routes: Readonly<Record<string, RequestListener>> = {
  "/redirect-inward": (_, response) => response.writeHead(302, { location: "http://private.example/" }).end(),
  "/redirect-metadata": (_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  "/redirect-file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/loop": (_, response) => response.writeHead(302, { location: "/loop" }).end(),
  "/missing": (_, response) => response.writeHead(404).end("no"),
  "/html": (_, response) => response.end("<html></html>"),
  "/says-more": (_, response) => {
    response.writeHead(200, { "content-length": "100000" });
    response.write(pdf(1_000), () => response.destroy());
  },
  "/says-huge": (_, response) => {
    response.writeHead(200, { "content-length": String(10 ** 12) });
    response.write(pdf(1_000));
  },
  "/endless": endless,
  "/too-large": (_, response) => response.end(pdf(2_097_153)),
  "/exact": (_, response) => response.end(pdf(2_097_152)),
};

let face: SpotFace;
let clinic: TestProvider;
let base: string;
let reached = 0;
const server = createServer((request, response) => {
  reached += 1;
  (routes[request.url ?? ""] ?? ((_request, plain) => plain.end(pdf(500))))(request, response);
});
beforeAll(async () => {
  const resolve = async (name: string) => {
    asked += name === CHANGING ? 1 : 0;
    const addresses = name === CHANGING ? [asked > 1 ? "127.0.0.1" : "10.0.0.7"] : (NAMES[name] ?? ["127.0.0.1"]);
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  face = await startSpotFace({ resolve });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  base = `http://files.example:${(server.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  face.clock.set(START);
  await face.forgetUploads();
  reached = 0;
  asked = 0;
  clinic = await face.makeProvider();
  const key = `public_key=${clinic.credentials.public_key}`;
  const { body } = await face.call("mintWidgetToken", `/api/spot/widget?${key}`, { body: {} });
  await face.call("registerPatient", `/api/spot/user?${key}`, {
    body: { ...CAMILA, consents: given("onboarding"), widget_token: body.widget_token },
  });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await face.stop();
});

const query = () => new URLSearchParams({ public_key: clinic.credentials.public_key, rut: CAMILA.rut }).toString();

interface Outcome {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const submitUrl = (url: string): Promise<Outcome> =>
  face.call("submitExpenseByUrl", `/api/spot/gastos-url?${query()}`, { body: { urls: [url] } });

/** One file under this name, as a browser's form sends it. */
function submitFile(content: Buffer, name = "boleta.pdf"): Promise<Outcome> {
  const form = new FormData();
  form.append("uploaded_files", new Blob([new Uint8Array(content)]), name);
  return face.call("submitExpense", `/api/spot/gastos?${query()}`, { form });
}

function submitForm(fill: (form: FormData) => void): Promise<Outcome> {
  const form = new FormData();
  fill(form);
  return face.call("submitExpense", `/api/spot/gastos?${query()}`, { form });
}

const PART = '--b\r\nContent-Disposition: form-data; name="uploaded_files"; filename="boleta.pdf"\r\n\r\n';

/** A valid receipt after a part without a field name. */
function namelessPart(value: string): string {
  return `--b\r\nContent-Disposition: form-data\r\n\r\n${value}\r\n${PART}%PDF-1.7\r\n--b--\r\n`;
}

/** Raw bytes, for requests that no client library would send. */
async function submitRaw(body: string, length = Buffer.byteLength(body), type = "multipart/form-data; boundary=b") {
  const { hostname, port } = new URL(face.url);
  const socket = connect(Number(port), hostname);
  const head = `POST /api/spot/gastos?${query()} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
  socket.write(head + body);
  // A client that announces more bytes and hangs up reads no answer, so only the stored files are checked.
  if (length > Buffer.byteLength(body)) socket.end();
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  if (answer === "") return { status: 0, body: {} };
  const text = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  return {
    status: Number(answer.split(" ")[1]),
    body: JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)),
  };
}

const xml = (content: string) => Buffer.from(`<?xml version="1.0"?>${content}`);

type Try = readonly [what: string, send: () => Promise<Outcome>];

const ADDRESSES: readonly Try[] = [
  ["plain HTTP to another machine", () => submitUrl("http://8.8.8.8/a.pdf")],
  ["a file of this machine", () => submitUrl("file:///etc/passwd")],
  ["no URL at all", () => submitUrl("boleta.pdf")],
  ["a name and a password in the URL", () => submitUrl("https://user:word@files.example/a.pdf")],
  ["a private address", () => submitUrl("https://10.0.0.7/a.pdf")],
  ["a private address as one number", () => submitUrl("https://2886729729/a.pdf")],
  ["a private address in octal", () => submitUrl("https://0300.0250.0.1/a.pdf")],
  ["this machine, as IPv6", () => submitUrl("https://[::1]/a.pdf")],
  ["this machine, mapped into IPv6", () => submitUrl("https://[::ffff:10.0.0.7]/a.pdf")],
  ["the unspecified address", () => submitUrl("https://0.0.0.0/a.pdf")],
  ["a cloud's metadata", () => submitUrl("https://169.254.169.254/latest")],
  ["a name that resolves to a private address", () => submitUrl("https://private.example/a.pdf")],
  ["a name that resolves to a mapped address", () => submitUrl("https://mapped.example/a.pdf")],
  ["a name that resolves to a cloud's metadata", () => submitUrl("https://metadata.example/latest")],
  ["a name that resolves to a link-local address", () => submitUrl("https://local.example/a.pdf")],
  ["a name that resolves to a unique local address", () => submitUrl("https://unique.example/a.pdf")],
  ["a name of which one address of two is private", () => submitUrl("https://mixed.example/a.pdf")],
  ["a name whose next answer would be another", () => submitUrl(`https://${CHANGING}/a.pdf`)],
  ["a name that does not resolve", () => submitUrl("https://nowhere.example/a.pdf")],
];

const SERVERS: readonly Try[] = [
  ["redirects to a private name", () => submitUrl(`${base}/redirect-inward`)],
  ["redirects to a cloud's metadata", () => submitUrl(`${base}/redirect-metadata`)],
  ["redirects to a file of this machine", () => submitUrl(`${base}/redirect-file`)],
  ["redirects in a circle", () => submitUrl(`${base}/loop`)],
  ["has no such file", () => submitUrl(`${base}/missing`)],
  ["sends a page", () => submitUrl(`${base}/html`)],
  ["never ends", () => submitUrl(`${base}/endless`)],
  ["sends one byte more than 2 MB", () => submitUrl(`${base}/too-large`)],
  ["promises a terabyte", () => submitUrl(`${base}/says-huge`)],
  ["promises more than it sends", () => submitUrl(`${base}/says-more`)],
  ["sends exactly 2 MB", () => submitUrl(`${base}/exact`)],
];

const FILES: readonly Try[] = [
  ["nothing in it", () => submitFile(Buffer.alloc(0))],
  ["text that is named .pdf", () => submitFile(Buffer.from("this is no PDF"))],
  ["HTML in front of a PDF (polyglot)", () => submitFile(Buffer.concat([Buffer.from("<html>"), pdf(1_000)]))],
  ["a GIF", () => submitFile(Buffer.from("GIF89a\x01\x00\x01\x00"))],
  ["a zip", () => submitFile(Buffer.from("504b0304140000000000", "hex"))],
  ["a HEIC photo", () => submitFile(HEIC, "foto.heic")],
  ["a photo of another kind (AVIF)", () => submitFile(Buffer.from("0000001c6674797061766966000000006d696631", "hex"))],
  ["an SVG with a script", () => submitFile(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"))],
  [
    "an SVG with a script behind an XML declaration",
    () => submitFile(xml("<s:svg xmlns:s='http://www.w3.org/2000/svg'/>")),
  ],
  ["a page that is XML", () => submitFile(xml("<html xmlns='http://www.w3.org/1999/xhtml'/>"))],
  [
    "a page that is XML, whose namespace is spelled with a reference",
    () => submitFile(xml("<a xmlns='http://www.w3.org/1999/&#120;html'><script/></a>")),
  ],
  [
    "a page in XML, far behind the beginning of a receipt",
    () =>
      submitFile(Buffer.concat([XML, Buffer.from(`${" ".repeat(100_000)}<a xmlns='http://www.w3.org/1999/xhtml'/>`)])),
  ],
  [
    "XML whose entities grow or fetch",
    () => submitFile(xml("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a/>")),
  ],
  ["XML with a program to show it", () => submitFile(xml("<?xml-stylesheet href='a.xsl'?><DTE/>"))],
  ["the XML of an electronic receipt", () => submitFile(XML, "boleta.xml")],
  ["a program", () => submitFile(Buffer.from("4d5a90000300000004000000ffff0000", "hex"))],
  ["one byte more than 2 MB", () => submitFile(pdf(2_097_153))],
  ["exactly 2 MB", () => submitFile(pdf(2_097_152))],
  ["a JPEG that is named .pdf", () => submitFile(JPEG, "boleta.pdf")],
  ["a PNG that is named .exe", () => submitFile(PNG, "boleta.exe")],
  ["a path in its name", () => submitFile(pdf(), "../../etc/passwd")],
  ["a Windows path in its name", () => submitFile(pdf(), "C:\\Users\\x\\boleta.pdf")],
  ["a name that is written backwards (U+202E)", () => submitFile(pdf(), "a\u202Efdp.exe")],
];

const FORMS: readonly Try[] = [
  ["no file", () => submitForm((form) => form.append("total", "1"))],
  [
    "six files",
    () =>
      submitForm((form) =>
        Array.from({ length: 6 }, () => form.append("uploaded_files", new Blob([new Uint8Array(pdf())]))),
      ),
  ],
  [
    "a hundred fields",
    () => submitForm((form) => Array.from({ length: 100 }, (_, index) => form.append(`f${index}`, "x"))),
  ],
  ["a field that is too long", () => submitForm((form) => form.append("name", "x".repeat(1_001)))],
  [
    "a file in another field",
    () => submitForm((form) => form.append("total", new Blob([new Uint8Array(pdf())]), "a.pdf")),
  ],
  [
    "a form inside the form",
    () =>
      submitRaw(
        '--b\r\nContent-Disposition: form-data; name="uploaded_files"; filename="n"\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\nContent-Disposition: file; filename="a.pdf"\r\n\r\n%PDF-1.7\r\n--i--\r\n--b--\r\n',
      ),
  ],
  ["a part without a name", () => submitRaw(namelessPart("x"))],
  ["a part without a name that is too long", () => submitRaw(namelessPart("x".repeat(4_096)))],
  ["an end in the middle of a file", () => submitRaw(`${PART}%PDF-1.7 and then`)],
  ["an end in the middle of a header", () => submitRaw('--b\r\nContent-Disposition: form-data; name="f"; fil')],
  ["no boundary", () => submitRaw("x", 1, "multipart/form-data")],
  ["another content type", () => submitRaw("{}", 2, "application/json")],
];

/** A short description of the answer: for an accepted file, its stored name and type. */
function wordsOf({ status, body }: Outcome): string {
  if (status !== 200) return `${status} \`${String(body.code)}\``;
  const files = Array.isArray(body.processed_files) ? body.processed_files : [];
  return `200, kept as ${files.map(({ name, type }) => `\`${name}\` (${type})`).join(", ")}`;
}

/** A list for each answer, of everything that gets it. */
async function lists(tries: readonly Try[]): Promise<string> {
  const triesOf = new Map<string, string[]>();
  for (const [what, send] of tries) {
    face.storage.files.clear();
    reached = 0;
    const outcome = await send();
    const answer = wordsOf(outcome);
    triesOf.set(answer, [...(triesOf.get(answer) ?? []), what]);
    // A refused upload leaves nothing behind, and no refused address was called.
    if (outcome.status !== 200) expect([what, face.storage.files.size]).toEqual([what, 0]);
    if (tries === ADDRESSES) expect([what, outcome.status, reached]).toEqual([what, 400, 0]);
  }
  return Array.from(triesOf, ([answer, whats]) => `${answer}:\n\n${whats.map((what) => `- ${what}`).join("\n")}`).join(
    "\n\n",
  );
}

it("each hostile address and file gets the documented answer, and a refused one leaves nothing behind", async () => {
  const page = [
    "# Hostile files and addresses",
    "Answers to hostile requests, written by `test/http/spot/hostile-uploads.test.ts` from a running service. Other tests\ncover slow forms (`src/claims/expenses/read-form.test.ts`), connections (`src/platform/http/guarded-fetch.test.ts`) and\nmemory (`lab/bench/uploads.ts`).",
    "## `POST /api/spot/gastos-url`: an address that is\n\nNone is called.",
    await lists(ADDRESSES),
    "## `POST /api/spot/gastos-url`: a server that",
    await lists(SERVERS),
    "## `POST /api/spot/gastos`: a file with, or that is",
    await lists(FILES),
    "## `POST /api/spot/gastos`: a form with",
    await lists(FORMS),
  ];
  await expect(`${page.join("\n\n")}\n`).toMatchFileSnapshot("../../../docs/reference/hostile-uploads.md");
});
