import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { Step, StepsPanel } from '#console/app/onboarding/steps-panel.tsx'
import { useDismissed } from '#console/app/preferences/dismissed.ts'
import { hasScreen } from '#console/app/router/screens.ts'
import { selfQuery } from '#console/app/session/self.ts'
import { useExampleModel } from '#console/app/snippets/example-model.ts'
import { firstCallSnippets } from '#console/app/snippets/first-call.ts'
import { buttonClasses } from '#console/ui/class-names.ts'
import { CodeSnippet } from '#console/ui/text/code-snippet.tsx'
import { hasTokenQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const DISMISSED_KEY = 'newcomer'
const KEY_PLACEHOLDER = 'sk-…'
const FIRST_REQUEST_POLL_MS = 5000

/** Three steps to the first request. Hidden once they are done or dismissed. */
export function OnboardingChecklist() {
  const t = useScreenText()
  const status = useStatus()
  const model = useExampleModel()
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
    <StepsPanel
      title={t('onboarding')}
      onDismiss={() => dismiss(true)}
      columns="three"
      footer={
        <CodeSnippet
          label={t('example')}
          snippets={firstCallSnippets({ address: serverAddress(status), key: KEY_PLACEHOLDER, model })}
        />
      }
    >
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
    </StepsPanel>
  )
}
