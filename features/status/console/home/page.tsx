import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gauge, type LucideIcon, Scale, ScanSearch } from 'lucide-react'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { TimeText } from '#console/app/format/format.tsx'
import { hasScreen } from '#console/app/router/screens.ts'
import { useUser } from '#console/app/session/session.ts'
import { chooseExampleModel, FALLBACK_MODEL, usableModels } from '#console/app/snippets/example-model.ts'
import { firstCallSnippets } from '#console/app/snippets/first-call.ts'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses } from '#console/ui/class-names.ts'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { CodeSnippet } from '#console/ui/text/code-snippet.tsx'
import { ROLE } from '#contract/enums.ts'
import { SiteContent } from '../site-content.tsx'
import { HomeModels } from './models.tsx'
import { homeContentQuery, homePricesQuery } from './queries.ts'
import { useScreenText } from './text.ts'

/** The operator's home page, else the default one. A failed request also shows the default. */
export function HomePage() {
  const { system_name: system } = useStatus()
  const { data: source, isPending } = useQuery(homeContentQuery)
  if (isPending) return <Skeleton className="mx-auto mt-6 h-80 max-w-260 lg:mt-14" />
  if (!source) return <DefaultHome />
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {system}
      </h1>
      <SiteContent source={source} title={system} />
    </>
  )
}

const KEY_PLACEHOLDER = 'sk-…'

/** Shown while the operator has not written a home page. */
export function DefaultHome() {
  const t = useScreenText()
  const user = useUser()
  const status = useStatus()
  const address = serverAddress(status)
  const baseUrl = `${address}/v1`
  const { data: prices } = useQuery(homePricesQuery)
  const model = chooseExampleModel(usableModels(prices?.rows ?? [], user?.group ?? '')) ?? FALLBACK_MODEL
  return (
    <div className="mx-auto grid max-w-260 gap-12 py-6 lg:py-14">
      <div className="grid items-center gap-10 lg:grid-cols-[1fr_1.1fr]">
        <div>
          <p className="text-body font-medium text-accent">{status.system_name}</p>
          <h1 tabIndex={-1} className="mt-2 text-number font-semibold text-balance sm:text-headline">
            {t('tagline')}
          </h1>
          <p className="mt-4 max-w-120 text-section text-muted">{t('intro')}</p>
          <div className="mt-7 flex flex-wrap gap-3">
            <Link to={user ? '/token' : '/login'} className={buttonClasses('primary', 'large')}>
              {t(user ? 'openConsole' : 'login')}
            </Link>
            {hasScreen('/pricing') && (
              <Link to="/pricing" className={buttonClasses('default', 'large')}>
                {t('pricing')}
              </Link>
            )}
          </div>
        </div>
        <section aria-label={t('example')} className="grid min-w-0 gap-3">
          <div className="flex min-w-0 items-center gap-2 rounded-card border border-line bg-surface py-1.5 pr-1.5 pl-4">
            <span className="shrink-0 text-small text-muted">{t('baseUrl')}</span>
            <code className="min-w-0 flex-1 truncate font-mono text-small">{baseUrl}</code>
            <CopyButton text={baseUrl} label={t('copyBaseUrl')} />
          </div>
          <div className="min-w-0 rounded-card bg-surface">
            <CodeSnippet
              label={t('example')}
              snippets={firstCallSnippets({ address, key: KEY_PLACEHOLDER, model })}
            />
          </div>
          <p className="text-caption text-subtle">{t('exampleHelp')}</p>
        </section>
      </div>
      <ul className="grid gap-4 sm:grid-cols-3">
        <Feature icon={Scale} title={t('balanced')} text={t('balancedText')} />
        <Feature icon={ScanSearch} title={t('watched')} text={t('watchedText')} />
        <Feature icon={Gauge} title={t('fast')} text={t('fastText')} />
      </ul>
      {hasScreen('/pricing') && <HomeModels />}
      <Installation />
      {user?.role === ROLE.root && (
        <p className="text-center text-small text-muted">
          {t('yourPage')}{' '}
          <Link to="/setting" search={{ tab: 'other' }} className="text-accent underline underline-offset-2">
            {t('writePage')}
          </Link>
        </p>
      )}
    </div>
  )
}

/** Version, start time and the sign-in methods that are on. */
function Installation() {
  const t = useScreenText()
  const status = useStatus()
  const methods = [
    { label: t('byPassword'), isOn: status.password_login },
    { label: 'GitHub', isOn: status.github_oauth },
    { label: 'LINUX DO', isOn: status.linuxdo_oauth },
    { label: t('byWechat'), isOn: status.wechat_login },
    { label: 'Telegram', isOn: status.telegram_oauth },
    { label: t('mailProof'), isOn: status.email_verification },
    { label: t('humanCheck'), isOn: status.turnstile_check },
  ]
  const isAnyOn = methods.some(({ isOn }) => isOn)
  return (
    <div className="grid gap-4 lg:grid-cols-[1fr_2fr]">
      <section aria-label={t('system')} className="rounded-card border border-line bg-surface p-5">
        <h2 className="mb-3 font-semibold">{t('system')}</h2>
        <KeyValues
          items={[
            { label: t('version'), value: status.version || '-' },
            {
              label: t('started'),
              value: status.start_time > 0 ? <TimeText unixSeconds={status.start_time} /> : '-',
            },
          ]}
        />
      </section>
      {isAnyOn && (
        <section aria-label={t('ways')} className="rounded-card border border-line bg-surface p-5">
          <h2 className="mb-3 font-semibold">{t('ways')}</h2>
          <ul className="flex flex-wrap gap-x-6 gap-y-2 text-small">
            {methods.map(({ label, isOn }) => isOn && <li key={label}>{label}</li>)}
          </ul>
        </section>
      )}
    </div>
  )
}

interface FeatureProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
}

const Feature = ({ icon: Icon, title, text: body }: FeatureProps) => (
  <li className="rounded-card border border-line bg-surface p-5">
    <Icon size={20} strokeWidth={1.75} aria-hidden className="text-accent" />
    <h2 className="mt-3 font-semibold">{title}</h2>
    <p className="mt-1 text-small text-muted">{body}</p>
  </li>
)
