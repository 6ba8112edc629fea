import { encodeQR } from "qr";

/** What the standard asks for around a code, in modules: scanners find the code by it. */
const QUIET_ZONE_MODULES = 4;

/**
 * A QR code as SVG, for a screen or a print of any size. It is black on white by itself, because few scanners read one
 * that is light on dark, and it holds no script, style or text.
 */
export function qrSvg(address: string): string {
  const rows = encodeQR(address, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES });
  const size = rows.length;
  const dark = rows.map((row, y) => runsOf(row).map(({ x, width }) => `M${x} ${y}h${width}v1h-${width}z`));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`,
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>`,
    `<path fill="#000" d="${dark.flat().join("")}"/></svg>`,
  ].join("");
}

interface Run {
  readonly x: number;
  readonly width: number;
}

/**
 * The dark modules of a row that stand side by side, so that they are drawn as one. The quiet zone ends each row, and
 * is light.
 */
function runsOf(row: readonly boolean[]): readonly Run[] {
  const begins = row.flatMap((isDark, x) => (isDark && row[x - 1] !== true ? [x] : []));
  return begins.map((x) => ({ x, width: row.indexOf(false, x) - x }));
}
