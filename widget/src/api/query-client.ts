import { notifyManager, QueryClient } from "@tanstack/react-query";

// Renders the changes of an answer and the resulting step in one turn. By default a timer separates them.
notifyManager.setScheduler(queueMicrotask);

/** The query client of one page. Its data comes with the page, and is fetched again only when a step requires it. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Send requests even if the browser reports offline, so that the patient gets an error instead of waiting.
      queries: { staleTime: Number.POSITIVE_INFINITY, networkMode: "always", retry: false },
      // A mutation keeps its input, which the patient may have typed. It is dropped with the screen that shows it.
      mutations: { gcTime: 0, networkMode: "always", retry: false },
    },
  });
}
