import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { type EditorMode, EditorModeChoice } from '#console/app/settings/editor-controls.tsx'
import { OptionField } from '#console/app/settings/fields.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { TextInput } from '#console/ui/forms/fields.tsx'
import { systemOptions } from '#contract/options/system-options.ts'
import { useOperationText } from './text.ts'

/** Edits the chat links as a sortable list or as JSON. */
export function ChatsEditor() {
  const t = useOperationText()
  const { currentValue, set } = useOptionForm()
  const [mode, setMode] = useState<EditorMode>('table')
  const chats = parseChats(currentValue('Chats'))
  const change = (next: readonly Chat[]) => set('Chats', stringifyChats(next))
  return (
    <>
      <EditorModeChoice mode={mode} onMode={setMode} />
      {mode === 'json' && <OptionField optionKey="Chats" />}
      {mode === 'table' && !chats && <Banner tone="danger">{t('chatsBroken')}</Banner>}
      {mode === 'table' && chats && (
        <>
          {chats.length === 0 && <p className="text-muted">{t('noChats')}</p>}
          <ol className="grid grid-cols-1 gap-3">
            {chats.map((chat, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names change while typing, so the index is the stable key
              <li key={index}>
                <ChatRow
                  chat={chat}
                  row={index + 1}
                  isLast={index === chats.length - 1}
                  onChange={next => change(chats.toSpliced(index, 1, next))}
                  onMove={step => change(moveItem(chats, index, index + step))}
                  onRemove={() => change(chats.toSpliced(index, 1))}
                />
              </li>
            ))}
          </ol>
          <Button
            icon={Plus}
            className="justify-self-start"
            onClick={() => change([...chats, { name: `Chat ${chats.length + 1}`, link: 'https://' }])}
          >
            {t('addChat')}
          </Button>
        </>
      )}
    </>
  )
}

interface ChatRowProps {
  readonly chat: Chat
  /** Counted from 1. */
  readonly row: number
  readonly isLast: boolean
  readonly onChange: (chat: Chat) => void
  readonly onMove: (step: 1 | -1) => void
  readonly onRemove: () => void
}

function ChatRow({ chat, row, isLast, onChange, onMove, onRemove }: ChatRowProps) {
  const t = useOperationText()
  const address = serverAddress(useStatus())
  const { name, link } = chat
  return (
    <div className="grid grid-cols-1 gap-2 rounded-card border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <TextInput
          aria-label={t('chatNameOf', { row })}
          placeholder={t('chatName')}
          value={name}
          className="min-w-0 flex-1"
          onChange={event => onChange({ ...chat, name: event.target.value })}
        />
        <span className="flex items-center gap-0.5 coarse:gap-3">
          <IconButton
            label={t('moveUp', { name })}
            icon={ArrowUp}
            size="small"
            disabled={row === 1}
            onClick={() => onMove(-1)}
          />
          <IconButton
            label={t('moveDown', { name })}
            icon={ArrowDown}
            size="small"
            disabled={isLast}
            onClick={() => onMove(1)}
          />
          <IconButton
            label={t('removeChat', { name })}
            icon={Trash2}
            size="small"
            className="text-danger"
            onClick={onRemove}
          />
        </span>
      </div>
      <TextInput
        isMono
        aria-label={t('chatLinkOf', { row })}
        placeholder={t('chatLink')}
        value={link}
        onChange={event => onChange({ ...chat, link: event.target.value })}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" onClick={() => onChange({ ...chat, link: `${link}{key}` })}>
          {t('insertKey', { key: '{key}' })}
        </Button>
        <Button size="small" onClick={() => onChange({ ...chat, link: `${link}{address}` })}>
          {t('insertAddress', { address: '{address}' })}
        </Button>
        <p className="min-w-0 flex-1 truncate text-caption text-muted">
          {t('preview')}: <code className="font-mono">{chatPreview(link, address)}</code>
        </p>
      </div>
    </div>
  )
}

export interface Chat {
  readonly name: string
  readonly link: string
}

/** Parses the option. Undefined when it is not a valid list of chats. */
export function parseChats(text: string): readonly Chat[] | undefined {
  const { data } = systemOptions.Chats.schema.safeParse(text)
  return data?.flatMap(entry => Object.entries(entry).map(([name, link]) => ({ name, link })))
}

export const stringifyChats = (chats: readonly Chat[]): string =>
  JSON.stringify(
    chats.map(({ name, link }) => ({ [name]: link })),
    null,
    2,
  )

/** Moves an item to another index. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from]
  if (item === undefined || to < 0 || to >= items.length) return items
  return items.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** The link as it is opened, with an example key. */
export const chatPreview = (link: string, address: string): string =>
  link.replaceAll('{key}', 'sk-…').replaceAll('{address}', encodeURIComponent(address))
