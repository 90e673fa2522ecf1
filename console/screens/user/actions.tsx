import { useNavigate } from '@tanstack/react-router'
import {
  Copy,
  Eye,
  FileClock,
  Mail,
  Pencil,
  Power,
  PowerOff,
  UserMinus,
  UserPlus,
  UserX,
  Wallet,
} from 'lucide-react'
import { useCallback } from 'react'
import type { UserAction } from '#contract/accounts/user-management.ts'
import type { User } from '#contract/accounts/users.ts'
import { errorText } from '../../app/api/call.ts'
import { useUser } from '../../app/session/session.ts'
import { IconButton } from '../../ui/buttons/button.tsx'
import { copyText } from '../../ui/buttons/copy-button.tsx'
import { type MenuAction, MenuButton, type MenuItems } from '../../ui/buttons/popup-buttons.tsx'
import { confirm, type Question } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { kitText } from '../../ui/text/kit-text.ts'
import { type Translate, useText } from '../../ui/text/text.ts'
import { useUserMutations } from './queries.ts'
import { text } from './text.ts'
import { allowedActions, canEdit, isDeregistered, STATUS } from './user.ts'

const LOG_TYPE_TOP_UP = '1'
const REVERSE_ACTIONS: Partial<Record<UserAction, UserAction>> = {
  promote: 'demote',
  demote: 'promote',
  disable: 'enable',
  enable: 'disable',
}
const DONE_TOASTS = {
  promote: 'promotedToast',
  demote: 'demotedToast',
  disable: 'disabledToast',
  enable: 'enabledToast',
  delete: 'deletedToast',
} as const

/** What is asked before it is done. Enabling is not asked: it takes nothing away. */
function confirmation(
  action: UserAction,
  name: string,
  t: Translate<keyof typeof text.zh>,
): Question | undefined {
  if (action === 'enable') return undefined
  const question = { title: t(`${action}Title`, { name }), text: t(`${action}Text`), action: t(action) }
  if (action === 'promote') return question
  const typed = { text: name, label: t('deleteTyped', { name }) }
  return { ...question, isDanger: true, ...(action === 'delete' ? { typed } : {}) }
}

/** What can be done with one user. */
export function useUserActions() {
  const t = useText(text)
  const k = useText(kitText)
  const navigate = useNavigate()
  const self = useUser()
  const { manage } = useUserMutations()
  const { mutateAsync: send } = manage

  const change = useCallback(
    async (user: User, action: UserAction): Promise<boolean> => {
      const { id, username: name } = user
      try {
        await send({ id, action })
        const back = REVERSE_ACTIONS[action]
        const undo = back && { label: k('undo'), run: () => void change(user, back) }
        toast('success', t(DONE_TOASTS[action], { name }), undo)
        return true
      } catch (error) {
        toast('error', errorText(error))
        return false
      }
    },
    [send, t, k],
  )

  const ask = useCallback(
    async (user: User, action: UserAction): Promise<boolean> => {
      const question = confirmation(action, user.username, t)
      return question && !(await confirm(question)) ? false : change(user, action)
    },
    [change, t],
  )

  const actionsOf = useCallback((user: User) => (self ? allowedActions(self, user) : []), [self])

  const menuOf = useCallback(
    (user: User): MenuItems => {
      const { username, id, email } = user
      const copy = async (what: string) => {
        if (await copyText(what)) toast('success', t('copied', { what }))
      }
      const log = (search: Record<string, string>) => () => void navigate({ to: '/log', search })
      const look: MenuAction[] = [
        { label: t('usageLog'), icon: FileClock, onSelect: log({ user: username }) },
        { label: t('topUpLog'), icon: Wallet, onSelect: log({ user: username, type: LOG_TYPE_TOP_UP }) },
        { label: t('copyId'), icon: Copy, onSelect: () => void copy(String(id)) },
        ...(email ? [{ label: t('copyEmail'), icon: Mail, onSelect: () => void copy(email) }] : []),
      ]
      const may = actionsOf(user)
      const rank: MenuAction[] = (['promote', 'demote'] as const)
        .filter(action => may.includes(action))
        .map(action => ({
          label: t(action),
          icon: action === 'promote' ? UserPlus : UserMinus,
          onSelect: () => void ask(user, action),
        }))
      const end: MenuAction[] = may.includes('delete')
        ? [{ label: t('delete'), icon: UserX, isDanger: true, onSelect: () => void ask(user, 'delete') }]
        : []
      return [look, rank, end].filter(items => items.length > 0)
    },
    [actionsOf, ask, navigate, t],
  )

  return { ask, actionsOf, menuOf }
}

interface UserRowActionsProps {
  readonly user: User
  readonly onOpen: (user: User) => void
  readonly onAct: (user: User, action: UserAction) => void
  readonly menuOf: (user: User) => MenuItems
}

/** Nothing is offered for the deregistered. */
export function UserRowActions({ user, onOpen, onAct, menuOf }: UserRowActionsProps) {
  const t = useText(text)
  const self = useUser()
  if (isDeregistered(user) || !self) return null
  const { username: name } = user
  const isOn = user.status === STATUS.enabled
  const flip = isOn ? 'disable' : 'enable'
  const isEditable = canEdit(self, user)
  return (
    <>
      <IconButton
        label={t(isEditable ? 'edit' : 'view', { name })}
        icon={isEditable ? Pencil : Eye}
        size="small"
        onClick={() => onOpen(user)}
      />
      <IconButton
        label={t(isOn ? 'disableNamed' : 'enableNamed', { name })}
        icon={isOn ? PowerOff : Power}
        size="small"
        disabled={!allowedActions(self, user).includes(flip)}
        onClick={() => onAct(user, flip)}
      />
      <MenuButton label={t('more', { name })} size="small" items={menuOf(user)} />
    </>
  )
}
