import { useLanguage } from '../ui/text.ts'
import { formatDateTime, formatRelative, nowSeconds } from './time.ts'
import { useTimeFormat } from './time-format.ts'

/** A moment as the reader prefers it, in the reader's time zone; the other way on hover. */
export function TimeText({ unixSeconds }: { readonly unixSeconds: number }) {
  const language = useLanguage()
  const isRelative = useTimeFormat() === 'relative'
  const exact = formatDateTime(unixSeconds)
  const relative = formatRelative(unixSeconds, nowSeconds(), language)
  return (
    <time
      dateTime={new Date(unixSeconds * 1000).toISOString()}
      title={isRelative ? exact : relative}
      className="tabular whitespace-nowrap"
    >
      {isRelative ? relative : exact}
    </time>
  )
}
