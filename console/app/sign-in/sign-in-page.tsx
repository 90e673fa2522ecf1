import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SunMoon } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button, IconButton } from '../../ui/buttons/buttons.tsx'
import { Banner } from '../../ui/feedback/feedback.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { basePath } from '../api/base-path.ts'
import { statusQuery, useStatus } from '../api/status.ts'
import { chooseLanguage, chooseTheme, nextTheme } from '../preferences/appearance.ts'
import { useSignInText } from './text.ts'

const OWN_LOGO = `${basePath}/logo.svg`

interface SignInPageProps {
  readonly heading: string
  /** Shown above the card. */
  readonly notice?: ReactNode
  /** Links below the card. */
  readonly below?: ReactNode
  readonly children: ReactNode
}

/** Layout of the pages before sign-in: a single card. */
export function SignInPage({ heading, notice, below, children }: SignInPageProps) {
  const t = useSignInText()
  const { logo, system_name: system } = useStatus()
  const { isError } = useQuery(statusQuery)
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 pt-[max(72px,14vh)] pb-10">
      <SignInCorner />
      <Link to="/" aria-label={system} className="rounded-dialog">
        <img
          src={logo || OWN_LOGO}
          alt=""
          width={48}
          height={48}
          className="size-12 rounded-dialog object-contain"
        />
      </Link>
      <h1 tabIndex={-1} className="mt-4 mb-6 text-center text-title font-semibold">
        {heading}
      </h1>
      <div className="w-full max-w-100">
        {isError && (
          <div className="mb-4">
            <Banner tone="danger" isAlert>
              {t('statusFailed')}
            </Banner>
          </div>
        )}
        {notice && <div className="mb-4">{notice}</div>}
        <div className="rounded-dialog border border-line bg-surface p-6 shadow-[0_1px_3px_var(--shadow-edge)]">
          {children}
        </div>
        {below && (
          <div className="mt-5 flex flex-wrap items-center justify-center gap-x-6 gap-y-2 text-muted">
            {below}
          </div>
        )}
      </div>
    </div>
  )
}

/** Style of links below the card. */
export const SIGN_IN_LINK =
  'rounded-control font-medium text-accent touch-target hover:underline underline-offset-2'

/** Theme and language switches for pages before sign-in. */
function SignInCorner() {
  const t = useSignInText()
  const language = useLanguage()
  return (
    <div className="fixed top-3 right-3 flex items-center gap-1 coarse:gap-3">
      <IconButton label={t('themeSwitch')} icon={SunMoon} onClick={() => chooseTheme(nextTheme())} />
      <Button
        variant="ghost"
        aria-label={t('languageSwitch')}
        lang={language === 'zh' ? 'en' : 'zh'}
        className="px-2.5! text-muted"
        onClick={() => chooseLanguage(language === 'zh' ? 'en' : 'zh')}
      >
        {t('languageShort')}
      </Button>
    </div>
  )
}

/** Error of a form. Takes the focus, so that screen readers announce it and Tab moves to the first field. */
export function FormErrorBanner({ error }: { readonly error: string }) {
  const alert = useRef<HTMLDivElement>(null)
  useEffect(() => alert.current?.focus(), [])
  return (
    <div ref={alert} tabIndex={-1} className="rounded-card outline-none">
      <Banner tone="danger" isAlert>
        <span className="block first-letter:uppercase">{error}</span>
      </Banner>
    </div>
  )
}
