import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { getOauthState } from '#contract/accounts/oauth.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { basePath } from '../api/base-path.ts'
import { call } from '../api/call.ts'
import { LoadError } from '../api/load-error.tsx'
import { useStatus } from '../api/status.ts'
import { useProvidersText } from './providers-text.ts'

const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22'
const BACK = '/oauth/telegram'

interface TelegramDialogProps {
  readonly title: string
  readonly onClose: () => void
}

/** Shows Telegram's login button. The state in its address proves that the sign-in started in this browser. */
export function TelegramDialog({ title, onClose }: TelegramDialogProps) {
  const state = useQuery({
    queryKey: ['oauth-state'],
    queryFn: ({ signal }) => call(getOauthState, { query: {}, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <Dialog title={title} onClose={onClose}>
      {state.error ? (
        <LoadError error={state.error} isBusy={state.isFetching} onRetry={() => void state.refetch()} />
      ) : (
        <TelegramWidget state={state.data} />
      )}
    </Dialog>
  )
}

/** Telegram's login button, which redirects to `/oauth/telegram`. Source: core.telegram.org/widgets/login */
function TelegramWidget({ state }: { readonly state: string | undefined }) {
  const t = useProvidersText()
  const language = useLanguage()
  const { telegram_bot_name: bot } = useStatus()
  const containerRef = useRef<HTMLDivElement>(null)
  const [progress, setProgress] = useState<'loading' | 'here' | 'failed'>('loading')
  useEffect(() => {
    if (state === undefined) return undefined
    const script = document.createElement('script')
    const settings = {
      'telegram-login': bot,
      size: 'large',
      radius: '6',
      'request-access': 'write',
      lang: language,
      'auth-url': `${window.location.origin}${basePath}${BACK}?${new URLSearchParams({ state })}`,
    }
    for (const [name, value] of Object.entries(settings)) script.setAttribute(`data-${name}`, value)
    script.async = true
    script.onload = () => setProgress('here')
    script.onerror = () => setProgress('failed')
    script.src = SCRIPT
    const container = containerRef.current
    container?.append(script)
    return () => container?.replaceChildren()
  }, [bot, language, state])
  return (
    <div className="grid min-h-11 place-items-center text-small text-muted">
      <div ref={containerRef} />
      {progress !== 'here' && (
        <p role="status">{t(progress === 'loading' ? 'telegramLoading' : 'telegramFailed')}</p>
      )}
    </div>
  )
}
