import { X } from 'lucide-react'
import { type KeyboardEvent, Suspense, useId, useState } from 'react'
import { IconButton, Spinner } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { useMedia } from '#console/ui/use-media.ts'
import { type Chats, isThreadBusy } from './chats.ts'
import { Conversation } from './conversation.tsx'
import type { Thread } from './conversations.ts'
import type { Settings } from './settings.ts'
import { useScreenText } from './text.ts'

const modelChoice = lazyPart(async () => (await import('./settings-panel.tsx')).ModelCombobox)

/** The width from which threads have room side by side. */
const SIDE_BY_SIDE = '(min-width: 768px)'

interface ColumnsProps {
  readonly threads: readonly Thread[]
  readonly settings: Settings
  readonly chats: Chats
  readonly onModelChange: (threadId: string, model: string) => void
}

/** The threads side by side, or as tabs where they have no room. */
export function Columns({ threads, settings, chats, onModelChange }: ColumnsProps) {
  const isBeside = useMedia(SIDE_BY_SIDE)
  const [first] = threads
  if (first && threads.length === 1)
    return <Conversation thread={first} threadCount={1} settings={settings} chats={chats} />
  const columns = { threads, settings, chats, onModelChange }
  return isBeside ? <SideBySide {...columns} /> : <Tabs {...columns} />
}

function SideBySide({ threads, ...rest }: ColumnsProps) {
  const t = useScreenText()
  return (
    <div className="flex min-h-0 flex-1 divide-x divide-line overflow-x-auto">
      {threads.map((thread, index) => (
        <section
          key={thread.id}
          aria-label={t('column', { number: index + 1, model: thread.model })}
          className="flex min-w-56 flex-1 basis-0 flex-col"
        >
          <Column {...rest} thread={thread} index={index} threadCount={threads.length} />
        </section>
      ))}
    </div>
  )
}

function Tabs({ threads, ...rest }: ColumnsProps) {
  const t = useScreenText()
  const id = useId()
  const [shownId, setShownId] = useState('')
  const index = Math.max(
    threads.findIndex(thread => thread.id === shownId),
    0,
  )
  const shown = threads[index]
  const show = (next: number) => {
    const thread = threads[(next + threads.length) % threads.length]
    if (!thread) return
    setShownId(thread.id)
    document.getElementById(`${id}-${thread.id}`)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') show(index + 1)
    if (event.key === 'ArrowLeft') show(index - 1)
  }
  if (!shown) return null
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div
        role="tablist"
        aria-label={t('columns')}
        className="flex shrink-0 overflow-x-auto border-b border-line bg-surface px-1.5"
        onKeyDown={onKeyDown}
      >
        {threads.map(thread => (
          <button
            key={thread.id}
            id={`${id}-${thread.id}`}
            type="button"
            role="tab"
            aria-selected={thread === shown}
            aria-controls={`${id}-panel`}
            tabIndex={thread === shown ? 0 : -1}
            onClick={() => setShownId(thread.id)}
            className={classes(
              'flex h-9 max-w-40 min-w-0 shrink-0 items-center gap-1.5 border-b-2 px-2.5 font-mono text-small outline-offset-[-2px] coarse:h-11',
              thread === shown ? 'border-primary text-fg' : 'border-transparent text-muted hover:text-fg',
            )}
          >
            <span className="truncate">{thread.model}</span>
            {isThreadBusy(thread) && <Spinner size={13} />}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${shown.id}`}
        className="flex min-h-0 flex-1 flex-col"
      >
        <Column key={shown.id} {...rest} thread={shown} index={index} threadCount={threads.length} />
      </div>
    </div>
  )
}

interface ColumnProps extends Omit<ColumnsProps, 'threads'> {
  readonly thread: Thread
  readonly index: number
  readonly threadCount: number
}

function Column({ thread, index, threadCount, settings, chats, onModelChange }: ColumnProps) {
  const t = useScreenText()
  const number = index + 1
  return (
    <>
      <div className="flex min-h-12 shrink-0 items-center gap-1 border-b border-line bg-surface px-2">
        <div className="min-w-0 flex-1">
          <Suspense fallback={<span className="font-mono text-small">{thread.model}</span>}>
            <modelChoice.Part
              aria-label={t('columnModel', { number })}
              settings={{ ...settings, model: thread.model }}
              onChange={({ model }) => model !== undefined && onModelChange(thread.id, model)}
            />
          </Suspense>
        </div>
        <IconButton
          label={t('removeColumn', { number })}
          icon={X}
          onClick={() => chats.removeThread(thread.id)}
        />
      </div>
      <Conversation thread={thread} threadCount={threadCount} settings={settings} chats={chats} />
    </>
  )
}
