import { useCallback, useEffect, useState } from 'react'

const LOCK_SECONDS = 30
const SECOND_MS = 1000

/** After a mail was sent the next one waits half a minute. Gives the seconds that are left, and how to begin. */
export function useResendLock(): readonly [number, () => void] {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (seconds === 0) return undefined
    const timer = setTimeout(() => setSeconds(seconds - 1), SECOND_MS)
    return () => clearTimeout(timer)
  }, [seconds])
  return [seconds, useCallback(() => setSeconds(LOCK_SECONDS), [])]
}
