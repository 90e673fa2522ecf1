import { ChevronDown, Columns2, Download, SquarePen, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { downloadText } from '#console/app/list/csv.ts'
import { modelKind } from '#console/app/snippets/model-kind.ts'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { MenuButton, PopoverButton } from '#console/ui/buttons/popup-buttons.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { PHONE, useMedia } from '#console/ui/use-media.ts'
import { type Chats, type ChatsState, shownConversation, titleOf } from './chats.ts'
import {
  CONVERSATIONS_MAX,
  type Conversation,
  isEmpty,
  THREADS_MAX,
  toStoredMessage,
} from './conversations.ts'
import { useAvailableModels } from './queries.ts'
import type { Settings } from './settings.ts'
import { useScreenText } from './text.ts'

const list = lazyPart(async () => (await import('./conversation-list.tsx')).ConversationList)
const nameDialog = lazyPart(async () => (await import('./name-dialog.tsx')).NameDialog)

interface ToolbarProps {
  readonly chats: Chats
  readonly state: ChatsState
}

/** Shows which conversation is open, and switches, renames and deletes conversations. */
export function ConversationPicker({ chats, state }: ToolbarProps) {
  const t = useScreenText()
  const [renamed, setRenamed] = useState<Conversation>()
  const shownName = titleOf(shownConversation(state), t('untitled'))
  const remove = async (conversation: Conversation) => {
    const title = t('deleteConversationTitle', { name: titleOf(conversation, t('untitled')) })
    const question = { title, text: t('deleteConversationText'), action: t('delete'), isDanger: true }
    if (isEmpty(conversation) || (await confirm(question))) chats.remove(conversation.id)
  }
  return (
    <div className="min-w-0 flex-1">
      <PopoverButton
        label={`${t('conversations')}: ${shownName}`}
        className="flex h-9 max-w-full items-center gap-1.5 rounded-control px-2 text-muted touch-target hover:bg-hover hover:text-fg"
        content={
          <>
            <span className="truncate">{shownName}</span>
            <ChevronDown size={15} aria-hidden className="shrink-0" />
          </>
        }
      >
        {close => {
          const closing =
            <Value,>(run: (value: Value) => void) =>
            (value: Value) => {
              close()
              run(value)
            }
          return (
            <Suspense fallback={null}>
              <list.Part
                conversations={state.conversations}
                shownId={shownConversation(state).id}
                onCreate={() => {
                  close()
                  createConversation(chats, t)
                }}
                onShow={closing(({ id }) => chats.show(id))}
                onRename={closing(setRenamed)}
                onDelete={closing(conversation => void remove(conversation))}
              />
            </Suspense>
          )
        }}
      </PopoverButton>
      <Suspense fallback={null}>
        {renamed && (
          <nameDialog.Part
            title={t('rename')}
            initial={titleOf(renamed, '')}
            onSave={name => chats.rename(renamed.id, name)}
            onClose={() => setRenamed(undefined)}
          />
        )}
      </Suspense>
    </div>
  )
}

function createConversation(chats: Chats, t: ReturnType<typeof useScreenText>): void {
  if (!chats.create()) toast('warning', t('conversationsMax', { count: CONVERSATIONS_MAX }))
}

/** Actions on the conversation that is shown. On a phone, the rare ones are in a menu. */
export function Toolbar({ chats, state, settings }: ToolbarProps & { readonly settings: Settings }) {
  const t = useScreenText()
  const { models } = useAvailableModels(settings)
  const isPhone = useMedia(PHONE)
  const conversation = shownConversation(state)
  const { threads } = conversation
  const isDisabled = isEmpty(conversation)
  const clear = async () => {
    const count = threads.reduce((total, { messages }) => total + messages.length, 0)
    const question = { title: t('clearTitle'), text: t('clearText', { count }), action: t('clear') }
    if (await confirm({ ...question, isDanger: true })) chats.clear()
  }
  const rare = [
    { label: t('exportChat'), icon: Download, isDisabled, onSelect: () => exportConversation(conversation) },
    { label: t('clear'), icon: Trash2, isDisabled, onSelect: () => void clear() },
  ]
  return (
    <>
      <IconButton
        label={t('newConversation')}
        icon={SquarePen}
        onClick={() => createConversation(chats, t)}
      />
      <IconButton
        label={t(threads.length === 1 ? 'compare' : 'addColumn')}
        icon={Columns2}
        disabled={threads.length >= THREADS_MAX}
        onClick={() => chats.addThread(models.filter(model => modelKind(model) === 'chat'))}
      />
      {isPhone ? (
        <MenuButton label={t('more')} items={[rare]} />
      ) : (
        rare.map(({ onSelect, isDisabled: disabled, ...rest }) => (
          <IconButton key={rest.label} {...rest} disabled={disabled} onClick={onSelect} />
        ))
      )}
    </>
  )
}

/** The messages as JSON: those of one model, or of each model that is compared. */
function exportConversation({ threads }: Conversation): void {
  const exported = threads.map(({ model, messages }) => ({ model, messages: messages.map(toStoredMessage) }))
  const data = exported.length === 1 ? exported[0]?.messages : exported
  downloadText('conversation.json', JSON.stringify(data, undefined, 2), 'application/json')
}
