import { ArrowDown, MessageCircle, Plug } from 'lucide-react'
import { useEffect, useState, type RefObject, useRef } from 'react'
import { IconButton, Button } from '../../ui/buttons/button.tsx'
import type { Settings } from './settings.ts'
import { useScreenText } from './text.ts'
import { isStreaming } from './chat-message.ts'
import { Message } from './message.tsx'
import type { Chat } from './use-chat.ts'
import { Link } from '@tanstack/react-router'
import { LoadError } from '../../app/api/load-error.tsx'
import { hasRole, useUser } from '../../app/session/session.ts'
import { buttonClasses } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { useAvailableModels } from './queries.ts'

interface ConversationProps {
  readonly chat: Chat
  readonly settings: Settings
}

/** What was said. It follows a growing answer until the reader scrolls up. */
export function Conversation({ chat, settings }: ConversationProps) {
  const t = useScreenText()
  const { box, content, isFollowing, onScroll, toEnd } = useAutoScroll()
  const { turns } = chat
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={box}
        aria-label={t('conversation')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        onScroll={onScroll}
        className="h-full overflow-y-auto overscroll-contain px-3 outline-offset-[-2px] sm:px-6"
      >
        <div ref={content} className="mx-auto grid max-w-190 grid-cols-1 gap-6 py-6">
          {turns.length === 0 ? (
            <EmptyConversation settings={settings} onSend={chat.send} />
          ) : (
            turns.map(turn => <Message key={turn.id} turn={turn} isBusy={chat.isBusy} actions={chat} />)
          )}
        </div>
      </section>
      {!isFollowing && (
        <IconButton
          label={t('toBottom')}
          icon={ArrowDown}
          variant="default"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! shadow-menu"
          onClick={toEnd}
        />
      )}
      <Announcement chat={chat} />
    </div>
  )
}

/** Says to screen readers that an answer begins and ends, not every word of it. */
function Announcement({ chat: { turns } }: { readonly chat: Chat }) {
  const t = useScreenText()
  const last = turns.at(-1)
  const [wasBusy, setWasBusy] = useState(false)
  const isBusy = last !== undefined && isStreaming(last)
  useEffect(() => {
    if (isBusy) setWasBusy(true)
  }, [isBusy])
  const said = isBusy
    ? t('began')
    : wasBusy && last?.role === 'assistant'
      ? t(last.state === 'error' ? 'failed' : 'ended')
      : ''
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  )
}

const SUGGESTIONS = ['suggestionPlan', 'suggestionCode', 'suggestionTable'] as const

interface EmptyConversationProps {
  readonly settings: Settings
  readonly onSend: (content: string) => void
}

/** Before the first question: examples, as soon as it is known that somebody would answer them. */
function EmptyConversation({ settings, onSend }: EmptyConversationProps) {
  const t = useScreenText()
  const { state, error, isFetching, refetch } = useAvailableModels(settings)
  if (state === 'failed')
    return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (state === 'none') return <NoModels />
  if (state === 'elsewhere') {
    const title = t('notServed', { model: settings.model })
    return <EmptyState icon={Plug} title={title} text={t('notServedText')} />
  }
  return (
    <EmptyState icon={MessageCircle} title={t('emptyTitle')} text={t('emptyText')}>
      <div className="grid gap-2">
        {SUGGESTIONS.map(suggestion => (
          <Button
            key={suggestion}
            disabled={state === 'unknown'}
            className="justify-start!"
            onClick={() => onSend(t(suggestion))}
          >
            {t(suggestion)}
          </Button>
        ))}
      </div>
    </EmptyState>
  )
}

function NoModels() {
  const t = useScreenText()
  const isAdmin = hasRole(useUser(), 'admin')
  return (
    <EmptyState
      icon={Plug}
      title={t('noModels')}
      text={t(isAdmin ? 'noModelsAdmin' : 'noModelsUser')}
      action={
        isAdmin && (
          <Link to="/channel" className={buttonClasses('primary')}>
            {t('toChannels')}
          </Link>
        )
      }
    />
  )
}

/** So near to the end counts as there. */
const END_PX = 48

interface AutoScroll {
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
function useAutoScroll(): AutoScroll {
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
