import { type RefObject, useEffect, useRef, useState } from 'react'

/** So near to the end counts as there. */
const END_PX = 48

interface Following {
  /** What scrolls. */
  readonly box: RefObject<HTMLElement | null>
  /** What grows inside it. */
  readonly content: RefObject<HTMLDivElement | null>
  readonly isFollowing: boolean
  onScroll(): void
  toEnd(): void
}

/**
 * Keeps the end of growing content in sight until the reader scrolls up, and again once the end is reached. What grows
 * faster than it is followed is no reader who scrolls up: only a way upwards ends the following. Whether it follows
 * is kept beside the state, for the observer may be called before a new state is rendered.
 */
export function useFollowing(): Following {
  const box = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const lastTop = useRef(0)
  const [isFollowing, setFollowing] = useState(true)
  const follow = (is: boolean) => {
    follows.current = is
    setFollowing(is)
  }
  const toEnd = () => {
    follow(true)
    box.current?.scrollTo({ top: box.current.scrollHeight })
  }
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {}
    const isAtEnd = scrollHeight - scrollTop - clientHeight < END_PX
    if (isAtEnd || scrollTop < lastTop.current) follow(isAtEnd)
    lastTop.current = scrollTop
  }
  useEffect(() => {
    if (!content.current) return undefined
    const observer = new ResizeObserver(() => {
      if (follows.current) box.current?.scrollTo({ top: box.current.scrollHeight })
    })
    observer.observe(content.current)
    return () => observer.disconnect()
  }, [])
  return { box, content, isFollowing, onScroll, toEnd }
}
