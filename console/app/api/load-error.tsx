import { Button } from '../../ui/buttons/buttons.tsx'
import { Banner } from '../../ui/feedback/feedback.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { CallError, errorText } from './call.ts'

interface LoadErrorProps {
  readonly error: unknown
  readonly onRetry: () => void
  readonly isBusy?: boolean
}

/** Banner above stale data: the last load failed, with a retry. */
export function LoadError({ error, onRetry, isBusy = false }: LoadErrorProps) {
  const t = useKitText()
  const requestId = error instanceof CallError ? error.requestId : undefined
  return (
    <div className="mb-3">
      <Banner
        tone="danger"
        isAlert
        action={
          <Button size="small" isBusy={isBusy} onClick={onRetry}>
            {t('retry')}
          </Button>
        }
      >
        <span className="font-medium">{t('loadFailed')}</span> · {errorText(error)}
        {requestId && <span className="block text-caption">{t('requestId', { id: requestId })}</span>}
      </Banner>
    </div>
  )
}
