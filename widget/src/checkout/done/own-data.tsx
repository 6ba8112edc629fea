import { useMutation } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { problemOf, valueOrThrow } from "../../api/problem.ts";
import { credentialsOf } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";
import { DataRequest, type DataRequestProps } from "./data-request.tsx";

interface OwnDataProps {
  readonly context: StepContext;
  /** The RUT whose data is requested; empty if the visit does not know it. */
  readonly rut: string;
  readonly Request?: ComponentType<DataRequestProps>;
}

/** At the end of a visit: lets the patient request a link to their stored data. */
export function OwnData({ context: { api, visit }, rut, Request = DataRequest }: OwnDataProps) {
  const request = useMutation({
    mutationFn: async () => valueOrThrow(await api.sendDataLink(credentialsOf(visit.session()), { rut })),
    // Each request may send a mail, so the next one is only sent when the patient asks for it.
    retry: false,
  });
  if (rut === "") return null;
  return (
    <Request
      pending={request.isPending}
      isAccepted={request.isSuccess}
      problem={request.isError ? problemOf(request.error) : null}
      onAsk={request.mutate}
    />
  );
}
