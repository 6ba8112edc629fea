import { readFileSync } from "node:fs";

const picture = (name: string) => readFileSync(new URL(`../../fixtures/pictures/${name}`, import.meta.url));
export const HEIC = picture("receipt.heic");
export const WEBP = picture("receipt.webp");
/** An electronic receipt in the format and encoding of the tax authority's programs. */
export const XML = Buffer.from(
  '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- Boleta -->\n<EnvioBOLETA xmlns="http://www.sii.cl/SiiDte" version="1.0"><SetDTE ID="s"/></EnvioBOLETA>\n',
  "latin1",
);

/** A PDF of exactly this many bytes. `mark` makes contents differ. */
export function pdf(bytes = 1_000, mark = "x"): Buffer {
  return Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(bytes - 9, mark)]);
}

export const JPEG = Buffer.from("ffd8ffe000104a46494600010100000100010000ffd9", "hex");
export const PNG = Buffer.from(
  "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c6300010000050001",
  "hex",
);

/** A form with files in `uploaded_files` and fields. List fields are repeated. */
export function expenseForm(
  files: readonly Buffer[],
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const text of typeof value === "string" ? [value] : value) form.append(name, text);
  }
  files.forEach((content, index) => {
    form.append("uploaded_files", new Blob([new Uint8Array(content)]), `boleta-${index + 1}.pdf`);
  });
  return form;
}

/** The first half of a form's bytes. The rest is sent on demand. */
export async function formInHalves(form: FormData) {
  const whole = new Response(form);
  const bytes = new Uint8Array(await whole.arrayBuffer());
  const half = Math.floor(bytes.length / 2);
  let sendRest: () => void = () => undefined;
  const rawBody = new ReadableStream<Uint8Array>({
    start(sending) {
      sending.enqueue(bytes.subarray(0, half));
      sendRest = () => {
        sending.enqueue(bytes.subarray(half));
        sending.close();
      };
    },
  });
  return { rawBody, headers: { "content-type": whole.headers.get("content-type") ?? "" }, sendRest: () => sendRest() };
}
