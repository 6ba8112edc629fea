import { decodeQR } from "qr/decode.js";
import { expect, it } from "vitest";
import { qrSvg } from "../mint-widget-token.ts";

const PIXELS_PER_MODULE = 4;
const token = "0b6f2f0c-5f0e-4c8a-9d3b-2f6f0f0d7a11";

/** Paints the drawing as a screen would. Each path consists of rectangles of one colour. */
function paint(svg: string) {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]) * PIXELS_PER_MODULE;
  const data = new Uint8Array(size * size * 4);
  for (const [, colour, path = ""] of svg.matchAll(/<path fill="#(fff|000)" d="([^"]+)"/g)) {
    for (const [, ...numbers] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)) {
      const [x = 0, y = 0, width = 0, height = 0] = numbers.map((number) => Number(number) * PIXELS_PER_MODULE);
      const pixel = [...Array(3).fill(colour === "fff" ? 255 : 0), 255];
      for (let row = y; row < y + height; row += 1)
        for (let column = x; column < x + width; column += 1) data.set(pixel, (row * size + column) * 4);
    }
  }
  return { width: size, height: size, data };
}

it.each([
  ["of a checkout", `https://pago.example/?widget_token=${token}&public_key=PK_${"a".repeat(43)}&order_token=${token}`],
  ["of a host with a long name", `https://${"clinica-".repeat(24)}.example/?widget_token=${token}`],
  ["of a local host", "http://127.0.0.1:4030/"],
])("a camera reads the address %s from the code", (_name, address) => {
  expect(decodeQR(paint(qrSvg(address)))).toBe(address);
});

it("the code has a margin of four light modules, and adjacent dark modules are drawn as one", () => {
  const [, dark = ""] =
    /<path fill="#000" d="([^"]+)"/.exec(qrSvg(`https://pago.example/?widget_token=${token}`)) ?? [];
  const runs = [...dark.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, ...numbers]) => numbers.map(Number));
  expect(runs[0]).toEqual([4, 4, 7]);
  const touching = runs.filter(([x = 0, y], place) => {
    const [before = 0, row, width = 0] = runs[place - 1] ?? [];
    return row === y && before + width >= x;
  });
  expect(touching).toEqual([]);
});

it("the drawing contains no script, no style and no reference to another host", () => {
  const svg = qrSvg('https://pago.example/?a=<script>&b="onload=alert(1)');
  expect(svg).toMatch(
    /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+" shape-rendering="crispEdges">(<path fill="#[0f]{3}" d="[Mhvz\d -]+"\/>){2}<\/svg>$/,
  );
});
