import { Link } from '@tanstack/react-router'
import { Gauge, type LucideIcon, Scale, ScanSearch } from 'lucide-react'
import { hasScreen } from '../../app/screens.ts'
import { useUser } from '../../app/session.ts'
import { firstCallSnippets } from '../../app/snippets.ts'
import { serverAddress, useStatus } from '../../app/status.ts'
import { buttonClasses } from '../../ui/button-classes.ts'
import { CodeSnippet } from '../../ui/code-snippet.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'

const KEY_PLACEHOLDER = 'sk-…'

export function HomeScreen() {
  const t = useText(text)
  const user = useUser()
  const status = useStatus()
  const baseUrl = `${serverAddress(status)}/v1`
  return (
    <div className="mx-auto grid max-w-260 gap-12 py-6 lg:py-14">
      <div className="grid items-center gap-10 lg:grid-cols-[1fr_1.1fr]">
        <div>
          <p className="text-body font-medium text-accent">{status.system_name}</p>
          <h1 tabIndex={-1} className="mt-2 text-number font-semibold sm:text-headline">
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
            <CodeSnippet label={t('example')} snippets={firstCallSnippets(baseUrl, KEY_PLACEHOLDER)} />
          </div>
          <p className="text-caption text-subtle">{t('exampleHelp')}</p>
        </section>
      </div>
      <ul className="grid gap-4 sm:grid-cols-3">
        <Claim icon={Scale} title={t('balanced')} text={t('balancedText')} />
        <Claim icon={ScanSearch} title={t('watched')} text={t('watchedText')} />
        <Claim icon={Gauge} title={t('fast')} text={t('fastText')} />
      </ul>
    </div>
  )
}

interface ClaimProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
}

const Claim = ({ icon: Icon, title, text: body }: ClaimProps) => (
  <li className="rounded-card border border-line bg-surface p-5">
    <Icon size={20} strokeWidth={1.75} aria-hidden className="text-accent" />
    <h2 className="mt-3 font-semibold">{title}</h2>
    <p className="mt-1 text-small text-muted">{body}</p>
  </li>
)
