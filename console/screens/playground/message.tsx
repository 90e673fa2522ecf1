import { CircleAlert, Pencil, RotateCcw, Trash2 } from 'lucide-react'
import { memo, type ReactNode, Suspense, useState } from 'react'
import { Button, IconButton } from '../../ui/buttons/button.tsx'
import { CopyButton } from '../../ui/buttons/copy-button.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { Reasoning, ToolCalls, ReplyPending, ReplyFooter } from './reply-parts.tsx'
import { useScreenText } from './text.ts'
import { isStreaming, type ChatMessage } from './chat-message.ts'
import type { Chat } from './use-chat.ts'

const markdown = lazyPart(async () => (await import('../../ui/text/rich-text.tsx')).Markdown)

export type MessageActions = Pick<Chat, 'retry' | 'edit' | 'remove'>

interface MessageProps {
  readonly turn: ChatMessage
  /** Something is being answered: then nothing may be changed. */
  readonly isBusy: boolean
  readonly actions: MessageActions
}

/** One turn of a conversation. */
export const Message = memo(
  ({ turn, isBusy, actions }: MessageProps) =>
    turn.role === 'user' ? (
      <UserMessage turn={turn} isBusy={isBusy} actions={actions} />
    ) : (
      <AssistantMessage turn={turn} isBusy={isBusy} actions={actions} />
    ),
  (before, after) => before.turn === after.turn && before.isBusy === after.isBusy,
)

function UserMessage({ turn, isBusy, actions }: MessageProps) {
  const t = useScreenText()
  const [isEditing, setEditing] = useState(false)
  if (isEditing) {
    const send = (content: string) => {
      setEditing(false)
      actions.edit(turn.id, content)
    }
    return <MessageEditor content={turn.content} onSend={send} onClose={() => setEditing(false)} />
  }
  return (
    <article aria-label={t('you')} className="group/turn grid justify-items-end gap-1">
      <p className="max-w-[85%] rounded-dialog bg-selected px-4 py-2.5 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {turn.content}
      </p>
      <Toolbar>
        <CopyButton text={turn.content} label={t('copyMessage')} />
        <IconButton
          label={t('edit')}
          icon={Pencil}
          size="small"
          disabled={isBusy}
          onClick={() => setEditing(true)}
        />
        <DeleteButton turn={turn} isBusy={isBusy} actions={actions} />
      </Toolbar>
    </article>
  )
}

interface MessageEditorProps {
  readonly content: string
  readonly onSend: (content: string) => void
  readonly onClose: () => void
}

function MessageEditor({ content, onSend, onClose }: MessageEditorProps) {
  const t = useScreenText()
  const k = useKitText()
  const [typed, setTyped] = useState(content)
  return (
    <form
      className="grid gap-2 rounded-dialog border border-primary bg-surface p-3"
      onSubmit={event => {
        event.preventDefault()
        if (typed.trim() !== '') onSend(typed.trim())
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the reader has just asked to type here
        autoFocus
        aria-label={t('editMessage')}
        rows={3}
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onKeyDown={event => event.key === 'Escape' && onClose()}
        className="control-text field-sizing-content max-h-80 resize-none bg-transparent p-1 outline-none"
      />
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={onClose}>
          {k('cancel')}
        </Button>
        <Button size="small" variant="primary" type="submit">
          {t('resend')}
        </Button>
      </div>
    </form>
  )
}

function AssistantMessage({ turn, isBusy, actions }: MessageProps) {
  const t = useScreenText()
  const isOver = !isStreaming(turn)
  return (
    <article
      aria-label={t('assistant')}
      aria-busy={!isOver}
      data-state={turn.state}
      className="group/turn grid grid-cols-1 gap-3"
    >
      {turn.state === 'loading' && <ReplyPending />}
      {turn.reasoning !== '' && (
        <Reasoning source={turn.reasoning} isOpenNow={!isOver && turn.content === ''} />
      )}
      {turn.content !== '' && (
        <Suspense fallback={<p className="whitespace-pre-wrap">{turn.content}</p>}>
          <markdown.Part source={turn.content} />
        </Suspense>
      )}
      <ToolCalls calls={turn.toolCalls} />
      <ReplyStatus turn={turn} />
      {isOver && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <ReplyFooter turn={turn} />
          <Toolbar>
            <CopyButton text={turn.content} label={t('copyMessage')} />
            <IconButton
              label={t('retry')}
              icon={RotateCcw}
              size="small"
              disabled={isBusy}
              onClick={() => actions.retry(turn.id)}
            />
            <DeleteButton turn={turn} isBusy={isBusy} actions={actions} />
          </Toolbar>
        </div>
      )}
    </article>
  )
}

/** How an answer ended, where it is not by itself. */
function ReplyStatus({ turn }: { readonly turn: ChatMessage }) {
  const t = useScreenText()
  const isSilent = turn.content === '' && turn.toolCalls.length === 0
  if (turn.state === 'error') {
    return (
      <p className="flex items-start gap-2 rounded-card bg-danger-bg px-3 py-2 text-danger [overflow-wrap:anywhere]">
        <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
        {t('error', { message: turn.problem })}
      </p>
    )
  }
  if (turn.state !== 'complete') return null
  if (turn.facts?.isStopped) return <p className="text-small text-muted">{t('stopped')}</p>
  return isSilent ? <p className="text-muted">{t('emptyAnswer')}</p> : null
}

function DeleteButton({ turn, isBusy, actions }: MessageProps) {
  const t = useScreenText()
  return (
    <IconButton
      label={t('remove')}
      icon={Trash2}
      size="small"
      disabled={isBusy}
      onClick={() => actions.remove(turn.id)}
    />
  )
}

const Toolbar = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex gap-0.5 coarse:gap-3">{children}</div>
)
