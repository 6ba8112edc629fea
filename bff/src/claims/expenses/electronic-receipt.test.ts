import { describe, expect, it } from "vitest";
import { watchReceipt } from "./electronic-receipt.ts";

const RECEIPT =
  '<EnvioBOLETA xmlns="http://www.sii.cl/SiiDte" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><SetDTE/><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/></EnvioBOLETA>';

function isReceipt(text: string, chunkBytes = 65_536): boolean {
  const bytes = Buffer.from(text, "latin1");
  const isData = watchReceipt();
  for (let at = 0; at < bytes.length; at += chunkBytes) if (!isData(bytes.subarray(at, at + chunkBytes))) return false;
  return isData(null);
}

const XHTML = "http://www.w3.org/1999/xhtml";

describe("the XML of an electronic receipt", () => {
  it.each([
    ["without a declaration", RECEIPT],
    ["in ISO-8859-1, as the tax authority writes it", `<?xml version="1.0" encoding="ISO-8859-1"?>${RECEIPT}`],
    ["longer than one chunk", `<?xml version="1.0"?>${RECEIPT}${"<Detalle/>".repeat(10_000)}`],
  ])("is accepted %s", (_form, text) => {
    expect(isReceipt(text)).toBe(true);
    expect(isReceipt(text, 7)).toBe(true);
  });

  it.each([
    ["the namespace of XHTML", `<a xmlns="${XHTML}"><script/></a>`],
    ["a namespace spelled with a character reference", '<a xmlns="http://www.w3.org/1999/&#120;html"><script/></a>'],
    ["a namespace behind spaces and a prefix", `<a xmlns:x = '${XHTML}'><x:script/></a>`],
    ["a namespace far from the start", `${RECEIPT}${" ".repeat(100_000)}<a xmlns="${XHTML}"/>`],
    ["the namespace of SVG", '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'],
    ["a document type declaration", "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a/>"],
    ["a style sheet that transforms it", '<?xml-stylesheet href="a.xsl"?><DTE/>'],
    ["an encoding that can hide names", '<?xml version="1.0" encoding="ISO-2022-JP"?><DTE/>'],
    ["a namespace without an end", `<a xmlns="${"a".repeat(100_000)}`],
  ])("is rejected with %s, wherever its chunks are split", (_content, text) => {
    expect(isReceipt(text)).toBe(false);
    expect(isReceipt(text, 7)).toBe(false);
  });
});
