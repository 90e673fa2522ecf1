import { useLanguage } from '../ui/text.ts'
import { formatDateTime, formatRelative, nowSeconds } from './time.ts'

/** A moment in the reader's time zone; how long ago on hover. */
export function TimeText({ unixSeconds }: { readonly unixSeconds: number }) {
  const language = useLanguage()
  return (
    <time
      dateTime={new Date(unixSeconds * 1000).toISOString()}
      title={formatRelative(unixSeconds, nowSeconds(), language)}
      className="tabular whitespace-nowrap"
    >
      {formatDateTime(unixSeconds)}
    </time>
  )
}
