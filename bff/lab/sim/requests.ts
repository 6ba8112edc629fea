import type { InjectedRequest } from "./inject.ts";

/** A call with a JSON body, or none. */
export function jsonRequest(
  method: string,
  url: string,
  { headers = {}, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown } = {},
): InjectedRequest {
  if (body === undefined) return { method, url, headers };
  const json = { "content-type": "application/json", ...headers };
  return { method, url, headers: json, body: Buffer.from(JSON.stringify(body)) };
}

const BOUNDARY = "a-boundary-of-the-simulation";

/** A form with fields and PDF files. */
export function formRequest(
  url: string,
  fields: Readonly<Record<string, string>>,
  files: readonly string[],
): InjectedRequest {
  const part = (head: string, content: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const text = [
    ...Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value)),
    ...files.map((content, index) =>
      part(`name="uploaded_files"; filename="boleta-${index + 1}.pdf"\r\nContent-Type: application/pdf`, content),
    ),
    `--${BOUNDARY}--\r\n`,
  ].join("");
  return {
    method: "POST",
    url,
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.from(text),
  };
}

/** The content of a receipt. Another mark gives another file. */
export function receiptFile(mark: string): string {
  return `%PDF-1.7\n${mark.padEnd(200, "x")}`;
}
