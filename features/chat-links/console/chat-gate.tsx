import { Link, useNavigate } from '@tanstack/react-router'
import { type LucideIcon, MessageSquare, MessageSquareOff, ShieldQuestionMark } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { isTrustedHost, trustHost } from '#console/app/chat/chat-links.ts'
import { useChatText } from '#console/app/chat/text.ts'
import { Button, Spinner } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses } from '#console/ui/class-names.ts'
import { EmptyState } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { type ChatTarget, useChatTarget } from './chat-target.ts'

/** Long enough to read the reason. */
const REDIRECT_AFTER_MS = 1500

type OpenTarget = Extract<ChatTarget, { kind: 'open' }>

interface ChatGateProps {
  readonly index: number
  /** Rendered once the target is known and the user allowed its host to receive the key. */
  readonly children: (target: OpenTarget) => ReactNode
}

/** Guards a chat page: needs an enabled token, a valid link and the user's consent. */
export function ChatGate({ index, children }: ChatGateProps) {
  const t = useChatText()
  const { isGuest, target, error, refetch } = useChatTarget(index)
  const [agreedTo, setAgreedTo] = useState<string>()
  if (isGuest) return <Guest />
  if (error && !target) {
    return (
      <div className="p-6">
        <LoadError error={error} onRetry={() => void refetch()} />
      </div>
    )
  }
  if (!target) {
    return (
      <p role="status" className="flex items-center justify-center gap-3 p-12 text-muted">
        <Spinner />
        {t('loading')}
      </p>
    )
  }
  if (target.kind !== 'open') return <TargetProblem what={target.kind} />
  const needsConsent = target.token !== undefined && !isTrustedHost(target.host) && agreedTo !== target.host
  if (!needsConsent) return children(target)
  const agree = () => {
    trustHost(target.host)
    setAgreedTo(target.host)
  }
  return <Consent target={target} onAgree={agree} />
}

function Guest() {
  const t = useChatText()
  return (
    <EmptyState
      icon={MessageSquare}
      title={t('guest')}
      text={t('guestText')}
      action={
        <Link to="/login" className={buttonClasses('primary')}>
          {t('login')}
        </Link>
      }
    />
  )
}

const TEXT_KEYS = { 'no-link': 'noLink', 'bad-link': 'badLink', 'no-token': 'noToken' } as const

function TargetProblem({ what }: { readonly what: keyof typeof TEXT_KEYS }) {
  const t = useChatText()
  const navigate = useNavigate()
  const isToken = what === 'no-token'
  useEffect(() => {
    if (!isToken) return undefined
    toast('error', t('noToken'))
    const timer = setTimeout(() => void navigate({ to: '/token' }), REDIRECT_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isToken, navigate, t])
  const icon: LucideIcon = MessageSquareOff
  return (
    <EmptyState
      icon={icon}
      title={t(TEXT_KEYS[what])}
      action={
        <Link to="/token" className={buttonClasses('primary')}>
          {t('toTokens')}
        </Link>
      }
    />
  )
}

interface ConsentProps {
  readonly target: OpenTarget
  readonly onAgree: () => void
}

/** Asks before a key is sent to another host. */
function Consent({ target: { host, token = '' }, onAgree }: ConsentProps) {
  const t = useChatText()
  return (
    <EmptyState
      icon={ShieldQuestionMark}
      title={t('consentTitle', { host })}
      text={t('consentText', { host, token })}
      action={
        <span className="flex flex-wrap justify-center gap-2">
          <Link to="/token" className={buttonClasses()}>
            {t('refuse')}
          </Link>
          <Button variant="primary" onClick={onAgree}>
            {t('consent')}
          </Button>
        </span>
      }
    />
  )
}
