import { Pencil, SquarePen, Trash2 } from 'lucide-react'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { titleOf } from './chats.ts'
import type { Conversation } from './conversations.ts'
import { useScreenText } from './text.ts'

interface ConversationListProps {
  readonly conversations: readonly Conversation[]
  readonly shownId: string
  readonly onCreate: () => void
  readonly onShow: (conversation: Conversation) => void
  readonly onRename: (conversation: Conversation) => void
  readonly onDelete: (conversation: Conversation) => void
}

/** The conversations of this browser, the latest first. */
export function ConversationList(props: ConversationListProps) {
  const { conversations, shownId, onCreate, onShow, onRename, onDelete } = props
  const t = useScreenText()
  return (
    <div className="grid w-80 max-w-full grid-cols-1 gap-1 p-1.5">
      <Button variant="ghost" icon={SquarePen} className="justify-start!" onClick={onCreate}>
        {t('newConversation')}
      </Button>
      <ul aria-label={t('conversations')} className="grid grid-cols-1 gap-0.5">
        {conversations.map(conversation => {
          const name = titleOf(conversation, t('untitled'))
          const isShown = conversation.id === shownId
          return (
            <li
              key={conversation.id}
              className={classes(
                'flex items-center gap-0.5 rounded-control coarse:gap-3',
                isShown ? 'bg-selected' : 'hover:bg-hover',
              )}
            >
              <button
                type="button"
                aria-current={isShown || undefined}
                onClick={() => onShow(conversation)}
                className="min-w-0 flex-1 rounded-control px-3.5 py-1.5 text-left coarse:min-h-11"
              >
                <span className={classes('block truncate', isShown && 'font-medium')}>{name}</span>
                <span className="block truncate font-mono text-caption text-muted">
                  {conversation.threads.map(({ model }) => model).join(' · ')}
                </span>
              </button>
              <IconButton
                label={t('renameConversation', { name })}
                icon={Pencil}
                size="small"
                onClick={() => onRename(conversation)}
              />
              <IconButton
                label={t('deleteConversation', { name })}
                icon={Trash2}
                size="small"
                onClick={() => onDelete(conversation)}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}
