import { useCallback, useEffect, useState } from 'react'

const LOCK_SECONDS = 30
const SECOND_MS = 1000

/** Blocks sending another email for 30 seconds. Returns the remaining seconds and a function that starts the lock. */
export function useResendLock(): readonly [number, () => void] {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (seconds === 0) return undefined
    const timer = setTimeout(() => setSeconds(seconds - 1), SECOND_MS)
    return () => clearTimeout(timer)
  }, [seconds])
  return [seconds, useCallback(() => setSeconds(LOCK_SECONDS), [])]
}
