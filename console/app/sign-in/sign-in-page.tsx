import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useStatus } from '../status.ts'
import { SignInCorner } from './sign-in-corner.tsx'

const OWN_LOGO = '/logo.svg'

interface SignInPageProps {
  readonly heading: string
  /** Above the card. */
  readonly notice?: ReactNode
  /** Below the card: the ways to the other pages of this kind. */
  readonly below?: ReactNode
  readonly children: ReactNode
}

/** The one card of the pages before sign-in. */
export function SignInPage({ heading, notice, below, children }: SignInPageProps) {
  const { logo, system_name: system } = useStatus()
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

/** Links below the card look alike. */
export const SIGN_IN_LINK =
  'rounded-control font-medium text-accent touch-target hover:underline underline-offset-2'
