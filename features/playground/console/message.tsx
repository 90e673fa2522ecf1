import { CircleAlert, ImageOff, Pencil, RotateCcw, Trash2 } from 'lucide-react'
import { memo, type ReactNode, Suspense, useState } from 'react'
import { Button, CopyButton, IconButton } from '#console/ui/buttons/buttons.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { type ChatMessage, isStreaming } from './chat-message.ts'
import type { Picture } from './pictures.ts'
import { Reasoning, ReplyFooter, ReplyPending, ToolCalls } from './reply-parts.tsx'
import { useScreenText } from './text.ts'

const markdown = lazyPart(async () => (await import('#console/ui/text/rich-text.tsx')).Markdown)

export interface MessageActions {
  readonly retry: (message: ChatMessage) => void
  readonly edit: (message: ChatMessage, content: string) => void
  readonly remove: (message: ChatMessage) => void
}

interface MessageProps {
  readonly message: ChatMessage
  /** A reply is streaming, so messages cannot change. */
  readonly isBusy: boolean
  /** The same object as long as the message exists. */
  readonly actions: MessageActions
}

/** One message of the conversation. Memoized, because a streaming reply renders the conversation on every frame. */
export const Message = memo(
  ({ message, isBusy, actions }: MessageProps) =>
    message.role === 'user' ? (
      <UserMessage message={message} isBusy={isBusy} actions={actions} />
    ) : (
      <AssistantMessage message={message} isBusy={isBusy} actions={actions} />
    ),
  (before, after) => before.message === after.message && before.isBusy === after.isBusy,
)

function UserMessage({ message, isBusy, actions }: MessageProps) {
  const t = useScreenText()
  const [isEditing, setEditing] = useState(false)
  if (isEditing) {
    const send = (content: string) => {
      setEditing(false)
      actions.edit(message, content)
    }
    return <MessageEditor message={message} onSend={send} onClose={() => setEditing(false)} />
  }
  return (
    <article aria-label={t('you')} className="group/message grid justify-items-end gap-1">
      {message.pictures.length > 0 && <Pictures pictures={message.pictures} />}
      {message.content !== '' && (
        <p className="max-w-[85%] rounded-dialog bg-selected px-4 py-2.5 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {message.content}
        </p>
      )}
      <Toolbar>
        {message.content !== '' && <CopyButton text={message.content} label={t('copyMessage')} />}
        <IconButton
          label={t('edit')}
          icon={Pencil}
          size="small"
          disabled={isBusy}
          onClick={() => setEditing(true)}
        />
        <DeleteButton message={message} isBusy={isBusy} actions={actions} />
      </Toolbar>
    </article>
  )
}

/** Pictures that were attached. After a reload only their names are left, and the model no longer receives them. */
function Pictures({ pictures }: { readonly pictures: readonly Picture[] }) {
  const t = useScreenText()
  return (
    <ul className="flex max-w-[85%] flex-wrap justify-end gap-2">
      {pictures.map(({ name, url }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: pictures of a message never change
          key={index}
          className="min-w-0"
        >
          {url === undefined ? (
            <span className="inline-flex max-w-full items-center gap-1.5 rounded-control border border-line px-2 py-1 text-small text-muted [overflow-wrap:anywhere]">
              <ImageOff size={14} aria-hidden className="shrink-0" />
              {t('pictureGone', { name })}
            </span>
          ) : (
            <img
              src={url}
              alt={name}
              className="max-h-48 max-w-full rounded-card border border-line object-contain"
            />
          )}
        </li>
      ))}
    </ul>
  )
}

interface MessageEditorProps {
  readonly message: ChatMessage
  readonly onSend: (content: string) => void
  readonly onClose: () => void
}

function MessageEditor({ message: { content, pictures }, onSend, onClose }: MessageEditorProps) {
  const t = useScreenText()
  const kit = useKitText()
  const [typed, setTyped] = useState(content)
  return (
    <form
      className="grid gap-2 rounded-dialog border border-primary bg-surface p-3"
      onSubmit={event => {
        event.preventDefault()
        if (typed.trim() !== '' || pictures.length > 0) onSend(typed.trim())
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the reader opened the editor to type in it
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
          {kit('cancel')}
        </Button>
        <Button size="small" variant="primary" type="submit">
          {t('resend')}
        </Button>
      </div>
    </form>
  )
}

function AssistantMessage({ message, isBusy, actions }: MessageProps) {
  const t = useScreenText()
  const isDone = !isStreaming(message)
  return (
    <article
      aria-label={t('assistant')}
      aria-busy={!isDone}
      data-state={message.state}
      className="group/message grid grid-cols-1 gap-3"
    >
      {message.state === 'loading' && <ReplyPending />}
      {message.reasoning !== '' && (
        <Reasoning source={message.reasoning} isActive={!isDone && message.content === ''} />
      )}
      {message.content !== '' && (
        <Suspense fallback={<p className="whitespace-pre-wrap">{message.content}</p>}>
          <markdown.Part source={message.content} />
        </Suspense>
      )}
      <ToolCalls calls={message.toolCalls} />
      <ReplyStatus message={message} />
      {isDone && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Toolbar>
            <CopyButton text={message.content} label={t('copyMessage')} />
            <IconButton
              label={t('retry')}
              icon={RotateCcw}
              size="small"
              disabled={isBusy}
              onClick={() => actions.retry(message)}
            />
            <DeleteButton message={message} isBusy={isBusy} actions={actions} />
          </Toolbar>
          <ReplyFooter message={message} />
        </div>
      )}
    </article>
  )
}

/** The error of a failed reply, or a note on a stopped or empty one. */
function ReplyStatus({ message }: { readonly message: ChatMessage }) {
  const t = useScreenText()
  const isEmpty = message.content === '' && message.toolCalls.length === 0
  if (message.state === 'error') {
    return (
      <p className="flex items-start gap-2 rounded-card bg-danger-bg px-3 py-2 text-danger [overflow-wrap:anywhere]">
        <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
        {t('error', { message: message.problem })}
      </p>
    )
  }
  if (message.state !== 'complete') return null
  if (message.facts?.isStopped) return <p className="text-small text-muted">{t('stopped')}</p>
  return isEmpty ? <p className="text-muted">{t('emptyReply')}</p> : null
}

function DeleteButton({ message, isBusy, actions }: MessageProps) {
  const t = useScreenText()
  return (
    <IconButton
      label={t('remove')}
      icon={Trash2}
      size="small"
      disabled={isBusy}
      onClick={() => actions.remove(message)}
    />
  )
}

const Toolbar = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex gap-0.5 coarse:gap-3">{children}</div>
)
