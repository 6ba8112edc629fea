/** The content of the clinic's receipt (boleta). */
export interface Receipt {
  readonly clinic: string;
  readonly clinicRut: string;
  readonly number: string;
  readonly date: string;
  readonly patient: string;
  readonly patientRut: string;
  readonly service: string;
  readonly professional: string;
  readonly total: string;
}

/** PDF strings are WinAnsi bytes, which include all letters of Chilean names. Brackets and backslashes are escaped. */
function pdfString(text: string): string {
  return `(${text.replace(/[\\()]/g, "\\$&")})`;
}

/** A one-page PDF with the receipt's lines. It needs no library, because it only has eight lines of text. */
export function receiptPdf(receipt: Receipt): Uint8Array<ArrayBuffer> {
  const lines = [
    `BOLETA DE HONORARIOS ELECTRÓNICA N.º ${receipt.number}`,
    receipt.clinic,
    `RUT ${receipt.clinicRut}`,
    `Fecha de atención: ${receipt.date}`,
    `Paciente: ${receipt.patient}, RUT ${receipt.patientRut}`,
    `Prestación: ${receipt.service}`,
    `Profesional: ${receipt.professional}`,
    `Total: ${receipt.total}`,
  ];
  const content = ["BT /F1 12 Tf 60 780 Td 22 TL", ...lines.map((line) => `${pdfString(line)} Tj T*`), "ET"].join("\n");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< /Length ${Buffer.byteLength(content, "latin1")} >>\nstream\n${content}\nendstream`,
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = Buffer.byteLength(body, "latin1");
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = Buffer.byteLength(body, "latin1");
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  body += `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(body, "latin1"));
}
