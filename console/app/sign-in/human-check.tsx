import { useEffect, useRef } from 'react'
import { useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

/** The subset of the widget's API that is used: https://developers.cloudflare.com/turnstile/ */
interface Turnstile {
  render(
    holder: HTMLElement,
    options: {
      sitekey: string
      language: string
      callback: (token: string) => void
      'expired-callback': () => void
    },
  ): string
  reset(widget: string): void
  remove(widget: string): void
}

declare global {
  interface Window {
    turnstile?: Turnstile
  }
}

let loading: Promise<void> | undefined

function loadWidget(): Promise<void> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = SCRIPT
    script.async = true
    script.onload = () => resolve()
    script.onerror = () => reject(new Error('the human check could not be loaded'))
    document.head.append(script)
  })
  return loading
}

interface HumanCheckProps {
  readonly label: string
  /** Resetting it to undefined requests a new token: tokens work once. */
  readonly token: string | undefined
  readonly onToken: (token: string | undefined) => void
}

/** The Turnstile widget. */
export function HumanCheck({ label, token, onToken }: HumanCheckProps) {
  const holder = useRef<HTMLFieldSetElement>(null)
  const widget = useRef<string>(undefined)
  const hadToken = useRef(false)
  const language = useLanguage()
  const { turnstile_site_key: sitekey } = useStatus()

  useEffect(() => {
    let isGone = false
    const draw = async () => {
      await loadWidget()
      if (isGone || !holder.current) return
      widget.current = window.turnstile?.render(holder.current, {
        sitekey,
        language,
        callback: onToken,
        'expired-callback': () => onToken(undefined),
      })
    }
    draw().catch(() => onToken(undefined))
    return () => {
      isGone = true
      if (widget.current !== undefined) window.turnstile?.remove(widget.current)
    }
  }, [sitekey, language, onToken])

  useEffect(() => {
    if (hadToken.current && token === undefined && widget.current !== undefined) {
      window.turnstile?.reset(widget.current)
    }
    hadToken.current = token !== undefined
  }, [token])

  return <fieldset ref={holder} aria-label={label} className="min-h-16" />
}
