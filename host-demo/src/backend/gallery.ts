import * as z from "zod";
import { SandboxFailed } from "./sandbox.ts";

const gallerySchema = z.object({ states: z.array(z.object({ name: z.string(), group: z.string() })) });

const ANSWER_WITHIN_MS = 10_000;

/**
 * The names of the gallery's states. The backend reads them from the widget's host, because the page may call only its
 * own backend.
 */
export async function readGallery(widgetHostUrl: string): Promise<z.infer<typeof gallerySchema>["states"]> {
  const response = await fetch(new URL("/gallery.json", widgetHostUrl), {
    redirect: "error",
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch((cause: unknown) => {
    throw new SandboxFailed("La galería no responde.", { cause });
  });
  if (response.ok) return gallerySchema.parse(await response.json()).states;
  await response.body?.cancel();
  throw new SandboxFailed("Este ambiente no tiene galería.");
}
