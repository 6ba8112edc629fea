import { Button } from "../../design/button.tsx";
import { Notice } from "../../design/notice.tsx";
import { useWords } from "../../words/words-context.tsx";

/** The code of the next screens could not be loaded. */
export function UnloadedNotice({ onRetry }: { readonly onRetry: () => void }) {
  const words = useWords();
  return (
    <Notice tone="danger" role="alert" title={words.unloaded.title}>
      <p>{words.unloaded.text}</p>
      <Button kind="quiet" onPress={onRetry}>
        {words.page.retry}
      </Button>
    </Notice>
  );
}
