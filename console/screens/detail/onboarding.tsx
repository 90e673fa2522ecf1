import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { serverAddress, useStatus } from '../../app/api/status.ts'
import { useDismissed } from '../../app/preferences/dismissed.ts'
import { hasScreen } from '../../app/router/screens.ts'
import { selfQuery } from '../../app/session/self.ts'
import { firstCallSnippets } from '../../app/snippets.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { buttonClasses, classes } from '../../ui/class-names.ts'
import { CodeSnippet } from '../../ui/text/code-snippet.tsx'
import { hasTokenQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const DISMISSED_KEY = 'newcomer'
const KEY_PLACEHOLDER = 'sk-…'
const FIRST_REQUEST_POLL_MS = 5000

/** Three steps to the first request. Hidden once they are done or dismissed. */
export function OnboardingChecklist() {
  const t = useScreenText()
  const status = useStatus()
  const [isDismissed, dismiss] = useDismissed(DISMISSED_KEY)
  const { data: hasToken } = useQuery({ ...hasTokenQuery, enabled: !isDismissed })
  const { data: self } = useQuery({
    ...selfQuery,
    refetchInterval: query =>
      !isDismissed && query.state.data?.request_count === 0 ? FIRST_REQUEST_POLL_MS : false,
  })
  if (isDismissed || hasToken === undefined || !self) return null
  const hasCalled = self.request_count > 0
  if (hasToken && hasCalled) return null
  return (
    <section aria-label={t('onboarding')} className="mb-4 rounded-card border border-line bg-surface p-4">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 className="text-section font-semibold">{t('onboarding')}</h2>
        <Button variant="ghost" size="small" onClick={() => dismiss(true)}>
          {t('hideSteps')}
        </Button>
      </div>
      <ol className="grid gap-4 lg:grid-cols-3">
        <Step number={1} title={t('stepToken')} text={t('stepTokenText')} isDone={hasToken}>
          <Link to="/token" search={{ edit: 'new' }} className={buttonClasses('primary', 'small')}>
            {t('stepToken')}
          </Link>
        </Step>
        <Step number={2} title={t('stepCall')} text={t('stepCallText')} isDone={hasCalled}>
          <p role="status" className="text-small text-muted">
            {hasToken && t('waiting')}
          </p>
        </Step>
        <Step number={3} title={t('stepMoney')} text={t('stepMoneyText')} isDone={self.quota > 0}>
          {hasScreen('/topup') && (
            <Link to="/topup" className={buttonClasses('default', 'small')}>
              {t('stepMoney')}
            </Link>
          )}
        </Step>
      </ol>
      <div className="mt-4 min-w-0">
        <CodeSnippet
          label={t('example')}
          snippets={firstCallSnippets(`${serverAddress(status)}/v1`, KEY_PLACEHOLDER)}
        />
      </div>
    </section>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly text: string
  readonly isDone: boolean
  /** The action of the step, hidden once the step is done. */
  readonly children: ReactNode
}

function Step({ number, title, text: help, isDone, children }: StepProps) {
  const t = useScreenText()
  return (
    <li className="flex gap-3">
      <span
        className={classes(
          'flex size-6 shrink-0 items-center justify-center rounded-full text-caption font-semibold',
          isDone ? 'bg-success-bg text-success' : 'bg-selected text-accent',
        )}
      >
        {isDone ? <Check size={14} aria-label={t('done')} /> : number}
      </span>
      <div className="grid justify-items-start gap-1.5">
        <div>
          <p className="font-medium">{title}</p>
          <p className="text-small text-muted">{help}</p>
        </div>
        {!isDone && children}
      </div>
    </li>
  )
}
