import { Link } from '@tanstack/react-router'
import { ArrowDown, MessageCircle, Plug } from 'lucide-react'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses, classes } from '#console/ui/class-names.ts'
import { EmptyState } from '#console/ui/feedback/feedback.tsx'
import { isStreaming } from './chat-message.ts'
import type { Chats } from './chats.ts'
import { STORED_MESSAGES_MAX, storedPart, type Thread } from './conversations.ts'
import { Message, type MessageActions } from './message.tsx'
import { useAvailableModels } from './queries.ts'
import type { Settings } from './settings.ts'
import { useScreenText } from './text.ts'

interface ConversationProps {
  readonly thread: Thread
  /** The threads of the conversation share its room in the browser's storage. */
  readonly threadCount: number
  readonly settings: Settings
  readonly chats: Chats
}

/** The messages of one thread. The view follows a streaming reply until the reader scrolls up. */
export function Conversation({ thread, threadCount, settings, chats }: ConversationProps) {
  const t = useScreenText()
  const { scroller, content, isFollowing, onScroll, scrollToEnd } = useAutoScroll()
  const { id, model, messages } = thread
  const isBusy = messages.some(isStreaming)
  const actions = useMemo<MessageActions>(
    () => ({
      retry: message => chats.retry(id, message.id),
      edit: (message, content) => chats.edit(id, message, content),
      remove: message => chats.removeMessage(id, message),
    }),
    [chats, id],
  )
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={threadCount === 1 ? t('conversation') : t('conversationWith', { model })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable with the keyboard
        tabIndex={0}
        onScroll={onScroll}
        className={classes(
          'h-full overflow-y-auto overscroll-contain px-3 outline-offset-[-2px]',
          threadCount === 1 && 'sm:px-6',
        )}
      >
        <div ref={content} className="mx-auto grid max-w-190 grid-cols-1 gap-6 py-6">
          {messages.length === 0 ? (
            <EmptyConversation
              settings={{ ...settings, model }}
              hasSuggestions={threadCount === 1}
              onSend={chats.send}
            />
          ) : (
            <>
              {storedPart(thread, threadCount).length < messages.length && (
                <p className="text-small text-muted">{t('keptPart', { count: STORED_MESSAGES_MAX })}</p>
              )}
              {messages.map(message => (
                <Message key={message.id} message={message} isBusy={isBusy} actions={actions} />
              ))}
            </>
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
      <Announcement thread={thread} />
    </div>
  )
}

/** Announces the start and the end of a reply to screen readers, but not every token. */
function Announcement({ thread: { messages } }: { readonly thread: Thread }) {
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
  /** Suggestions are sent to a single model. */
  readonly hasSuggestions: boolean
  readonly onSend: (content: string) => void
}

/** Before the first message: suggestions, enabled once a model is known to be available. */
function EmptyConversation({ settings, hasSuggestions, onSend }: EmptyConversationProps) {
  const t = useScreenText()
  const { state, error, isFetching, refetch } = useAvailableModels(settings)
  if (state === 'failed')
    return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (state === 'none') return <NoModels />
  if (state === 'model-missing') {
    const title = t('modelUnavailable', { model: settings.model })
    return <EmptyState icon={Plug} title={title} text={t('modelUnavailableText')} />
  }
  if (!hasSuggestions)
    return <EmptyState icon={MessageCircle} title={t('emptyTitle')} text={t('emptyColumnText')} />
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
