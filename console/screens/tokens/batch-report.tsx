import { plainErrorText } from '../../app/call-error.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'
import type { Batch } from './use-batch.ts'

/** How far a batch is, and which tokens of it were not created. */
export function BatchReport({ batch }: { readonly batch: Batch }) {
  const t = useText(text)
  const { isRunning, done, count, made, failed } = batch
  const [first] = failed
  if (isRunning && count > 1) {
    return (
      <p role="status" className="mb-5 rounded-card bg-info-bg px-4 py-2.5 text-info tabular">
        {t('creating', { done, count })}
      </p>
    )
  }
  if (!first) return null
  return (
    <div className="mb-5">
      <Banner tone="danger" isAlert>
        <p>{t('someFailed', { failed: failed.length, reason: plainErrorText(first.error) })}</p>
        <ul className="mt-1 list-disc pl-4 text-small">
          {failed.map(({ draft }) => (
            <li key={draft.name}>{draft.name}</li>
          ))}
        </ul>
        <div className="mt-2 flex flex-wrap gap-2">
          <Button size="small" onClick={() => void batch.retry()}>
            {t('retryFailed', { count: failed.length })}
          </Button>
          {made.length > 0 && (
            <Button size="small" onClick={batch.keep}>
              {t('keepCreated', { count: made.length })}
            </Button>
          )}
        </div>
      </Banner>
    </div>
  )
}
