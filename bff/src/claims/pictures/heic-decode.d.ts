declare module "heic-decode" {
  interface HeicImage {
    readonly width: number;
    readonly height: number;
    decode(): Promise<{ readonly width: number; readonly height: number; readonly data: Uint8ClampedArray }>;
  }
  /** Reads the sizes of the images. Each is decoded only on request. */
  function all(file: { readonly buffer: Uint8Array }): Promise<readonly HeicImage[] & { dispose(): void }>;
  const decode: { readonly all: typeof all };
  // biome-ignore lint/style/noDefaultExport: the package has one.
  export default decode;
}
