import { useEffect, useRef, useState } from 'react'
import { useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'
import { useProvidersText } from './providers-text.ts'

const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22'
const BACK = '/oauth/telegram'

/** Telegram's login button, which redirects to `/oauth/telegram`. Source: core.telegram.org/widgets/login */
export function TelegramWidget() {
  const t = useProvidersText()
  const language = useLanguage()
  const { telegram_bot_name: bot } = useStatus()
  const containerRef = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<'loading' | 'here' | 'failed'>('loading')
  useEffect(() => {
    const script = document.createElement('script')
    const settings = {
      'telegram-login': bot,
      size: 'large',
      radius: '6',
      'request-access': 'write',
      lang: language,
      'auth-url': window.location.origin + BACK,
    }
    for (const [name, value] of Object.entries(settings)) script.setAttribute(`data-${name}`, value)
    script.async = true
    script.onload = () => setState('here')
    script.onerror = () => setState('failed')
    script.src = SCRIPT
    const container = containerRef.current
    container?.append(script)
    return () => container?.replaceChildren()
  }, [bot, language])
  return (
    <div className="grid min-h-11 place-items-center text-small text-muted">
      <div ref={containerRef} />
      {state !== 'here' && (
        <p role="status">{t(state === 'loading' ? 'telegramLoading' : 'telegramFailed')}</p>
      )}
    </div>
  )
}
