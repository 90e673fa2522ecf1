import { useEffect, useRef, useState } from 'react'
import { Spinner } from '../../ui/buttons/buttons.tsx'
import { buttonClasses } from '../../ui/class-names.ts'
import { currentLanguage, useLanguage } from '../../ui/text/text.ts'
import { useChatText } from '../chat/text.ts'
import { currentTheme } from '../preferences/appearance.ts'

const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads'
const SLOW_MS = 10_000

interface FramedPageProps {
  readonly address: string
  readonly title: string
  /** Permissions policy of the frame. */
  readonly permissions?: string
}

/** Embeds a page of another site. The frame receives theme and language messages, as in older consoles. */
export function FramedPage({ address, title, permissions }: FramedPageProps) {
  const t = useChatText()
  const language = useLanguage()
  const frame = useRef<HTMLIFrameElement>(null)
  const [state, setState] = useState<'loading' | 'slow' | 'here'>('loading')
  useEffect(() => {
    const timer = setTimeout(() => setState(now => (now === 'loading' ? 'slow' : now)), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: posts again when the language changes
  useEffect(() => postPreferences(frame.current, address), [language, address])
  return (
    <div className="relative h-[calc(100dvh-3.25rem)] sm:h-[calc(100dvh-3.5rem)]">
      {state !== 'here' && (
        <p
          role="status"
          className="absolute inset-x-0 top-12 flex flex-wrap items-center justify-center gap-3 text-muted"
        >
          <Spinner />
          {t(state === 'slow' ? 'slow' : 'loading')}
          {state === 'slow' && (
            <a
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClasses('default', 'small')}
            >
              {t('newWindow')}
            </a>
          )}
        </p>
      )}
      <iframe
        ref={frame}
        src={address}
        title={title}
        sandbox={SANDBOX}
        {...(permissions ? { allow: permissions } : {})}
        referrerPolicy="strict-origin-when-cross-origin"
        onLoad={() => {
          setState('here')
          postPreferences(frame.current, address)
        }}
        className="relative size-full border-0"
      />
    </div>
  )
}

function postPreferences(frame: HTMLIFrameElement | null, address: string): void {
  const { origin } = new URL(address)
  frame?.contentWindow?.postMessage({ themeMode: currentTheme() }, origin)
  frame?.contentWindow?.postMessage({ lang: currentLanguage() }, origin)
}
