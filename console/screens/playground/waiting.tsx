import { useEffect, useState } from 'react'
import { Spinner } from '../../ui/buttons/button.tsx'
import { useText } from '../../ui/text/text.ts'
import { text } from './text.ts'

const SECOND_MS = 1000
/** From here on the reader is told how long it has been. */
const LONG_SECONDS = 10

/** Nothing has come yet. */
export function Waiting() {
  const t = useText(text)
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setSeconds(seconds + 1), SECOND_MS)
    return () => clearTimeout(timer)
  }, [seconds])
  return (
    <p className="flex items-center gap-2 text-muted">
      <Spinner />
      {seconds < LONG_SECONDS ? t('loading') : t('stillWaiting', { count: seconds })}
    </p>
  )
}
