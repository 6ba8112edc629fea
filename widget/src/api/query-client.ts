import { notifyManager, QueryClient } from "@tanstack/react-query";

// What an answer changes and the step that follows from it come to the screen in one turn: by default a timer is
// between.
notifyManager.setScheduler(queueMicrotask);

/** The client of one page: what it knows came with the page, and is fetched again only where a step asks for it. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Send requests even if the browser reports offline, so that the patient gets an error instead of waiting.
      queries: { staleTime: Number.POSITIVE_INFINITY, networkMode: "always", retry: false },
      // A mutation keeps what it was given, which may be what the patient typed: it goes with the screen that shows it.
      mutations: { gcTime: 0, networkMode: "always", retry: false },
    },
  });
}
