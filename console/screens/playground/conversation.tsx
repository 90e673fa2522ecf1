import { Link } from '@tanstack/react-router'
import { ArrowDown, MessageCircle, Plug } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { LoadError } from '../../app/api/load-error.tsx'
import { hasRole, useUser } from '../../app/session/session.ts'
import { Button, IconButton } from '../../ui/buttons/buttons.tsx'
import { buttonClasses } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/feedback/feedback.tsx'
import { isStreaming } from './chat-message.ts'
import { Message } from './message.tsx'
import { useAvailableModels } from './queries.ts'
import type { Settings } from './settings.ts'
import { useScreenText } from './text.ts'
import type { Chat } from './use-chat.ts'

interface ConversationProps {
  readonly chat: Chat
  readonly settings: Settings
}

/** The messages. The view follows a streaming reply until the reader scrolls up. */
export function Conversation({ chat, settings }: ConversationProps) {
  const t = useScreenText()
  const { scroller, content, isFollowing, onScroll, scrollToEnd } = useAutoScroll()
  const { messages } = chat
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={t('conversation')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable with the keyboard
        tabIndex={0}
        onScroll={onScroll}
        className="h-full overflow-y-auto overscroll-contain px-3 outline-offset-[-2px] sm:px-6"
      >
        <div ref={content} className="mx-auto grid max-w-190 grid-cols-1 gap-6 py-6">
          {messages.length === 0 ? (
            <EmptyConversation settings={settings} onSend={chat.send} />
          ) : (
            messages.map(message => (
              <Message key={message.id} message={message} isBusy={chat.isBusy} actions={chat} />
            ))
          )}
        </div>
      </section>
      {!isFollowing && (
        <IconButton
          label={t('toBottom')}
          icon={ArrowDown}
          variant="default"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! shadow-menu"
          onClick={scrollToEnd}
        />
      )}
      <Announcement chat={chat} />
    </div>
  )
}

/** Announces the start and the end of a reply to screen readers, but not every token. */
function Announcement({ chat: { messages } }: { readonly chat: Chat }) {
  const t = useScreenText()
  const last = messages.at(-1)
  const [wasBusy, setWasBusy] = useState(false)
  const isBusy = last !== undefined && isStreaming(last)
  useEffect(() => {
    if (isBusy) setWasBusy(true)
  }, [isBusy])
  const announcement = isBusy
    ? t('replyStarted')
    : wasBusy && last?.role === 'assistant'
      ? t(last.state === 'error' ? 'replyFailed' : 'replyComplete')
      : ''
  return (
    <p role="status" className="sr-only">
      {announcement}
    </p>
  )
}

const SUGGESTIONS = ['suggestionPlan', 'suggestionCode', 'suggestionTable'] as const

interface EmptyConversationProps {
  readonly settings: Settings
  readonly onSend: (content: string) => void
}

/** Before the first message: suggestions, enabled once a model is known to be available. */
function EmptyConversation({ settings, onSend }: EmptyConversationProps) {
  const t = useScreenText()
  const { state, error, isFetching, refetch } = useAvailableModels(settings)
  if (state === 'failed')
    return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (state === 'none') return <NoModels />
  if (state === 'model-missing') {
    const title = t('modelUnavailable', { model: settings.model })
    return <EmptyState icon={Plug} title={title} text={t('modelUnavailableText')} />
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

/** A distance from the end up to which the view counts as being at the end. */
const END_TOLERANCE_PX = 48

interface AutoScroll {
  readonly scroller: RefObject<HTMLElement | null>
  /** The growing content inside the scroller. */
  readonly content: RefObject<HTMLDivElement | null>
  readonly isFollowing: boolean
  readonly onScroll: () => void
  readonly scrollToEnd: () => void
}

/**
 * Keeps the end of growing content in view until the reader scrolls up, and again once the reader is back at the end.
 * Content that grows faster than the view follows also moves the end away, so only scrolling upwards stops following.
 */
function useAutoScroll(): AutoScroll {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  // A ref besides the state, because the observer may run before a new state is rendered.
  const isFollowingRef = useRef(true)
  const lastTop = useRef(0)
  const [isFollowing, setFollowing] = useState(true)
  const follow = (isOn: boolean) => {
    isFollowingRef.current = isOn
    setFollowing(isOn)
  }
  const scrollToEnd = () => {
    follow(true)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {}
    const isAtEnd = scrollHeight - scrollTop - clientHeight < END_TOLERANCE_PX
    if (isAtEnd || scrollTop < lastTop.current) follow(isAtEnd)
    lastTop.current = scrollTop
  }
  useEffect(() => {
    if (!content.current) return undefined
    const observer = new ResizeObserver(() => {
      if (isFollowingRef.current) scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
    })
    observer.observe(content.current)
    return () => observer.disconnect()
  }, [])
  return { scroller, content, isFollowing, onScroll, scrollToEnd }
}
