import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import * as z from "zod";
import type { Service } from "./service.ts";

const probeSchema = z.object({
  httpGet: z.object({ path: z.string() }),
  periodSeconds: z.number(),
  timeoutSeconds: z.number().default(1),
  failureThreshold: z.number(),
});
const deploymentSchema = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([z.object({ livenessProbe: probeSchema, readinessProbe: probeSchema })]),
      }),
    }),
  }),
});
type Probe = z.output<typeof probeSchema>;

/** Probes processes as Kubernetes does, with the timings of `deploy/kubernetes/aapd.yaml`, and restarts dead ones. */
export interface Kubelet {
  /** How many processes were restarted because they were not alive. */
  restarts(): number;
  /** How often a process would have been taken out of service because it was not ready. */
  removals(): number;
  stop(): Promise<void>;
}

export async function startKubelet(services: readonly Service[]): Promise<Kubelet> {
  const written = await readFile(new URL("../../deploy/kubernetes/aapd.yaml", import.meta.url), "utf8");
  const documents = parseAllDocuments(written).map((document) => deploymentSchema.safeParse(document.toJS()));
  const deployment = documents.find(({ success }) => success)?.data;
  if (deployment === undefined) throw new Error("aapd.yaml has no deployment with both probes.");
  const { terminationGracePeriodSeconds, containers } = deployment.spec.template.spec;
  const [{ livenessProbe, readinessProbe }] = containers;
  const counts = { restarts: 0, removals: 0 };
  const stopping = new AbortController();
  const { signal } = stopping;
  const watching = services.flatMap((service) => [
    watch(service, livenessProbe, signal, async () => {
      counts.restarts += 1;
      await service.stop(terminationGracePeriodSeconds * 1_000);
      await service.start();
    }),
    watch(service, readinessProbe, signal, async () => {
      counts.removals += 1;
    }),
  ]);
  return {
    restarts: () => counts.restarts,
    removals: () => counts.removals,
    async stop() {
      stopping.abort();
      await Promise.all(watching);
    },
  };
}

/** Calls `onFailed` once for each series of failures that is as long as the probe's threshold. */
async function watch(
  { url }: Service,
  { httpGet: { path }, periodSeconds, timeoutSeconds, failureThreshold }: Probe,
  signal: AbortSignal,
  onFailed: () => Promise<void>,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const next = performance.now() + periodSeconds * 1_000;
    failures = (await isAnswered(`${url}${path}`, timeoutSeconds * 1_000)) ? 0 : failures + 1;
    if (failures === failureThreshold && !signal.aborted) await onFailed();
    await pause(Math.max(0, next - performance.now()), null, { signal }).catch(() => undefined);
  }
}

async function isAnswered(url: string, timeoutMs: number): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => null);
  await answer?.body?.cancel().catch(() => undefined);
  return answer?.ok === true;
}
