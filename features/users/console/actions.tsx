import { useNavigate } from '@tanstack/react-router'
import {
  Copy,
  Eye,
  FileClock,
  IdCard,
  Mail,
  Pencil,
  Power,
  PowerOff,
  ReceiptText,
  UserMinus,
  UserPlus,
  UserX,
  Wallet,
} from 'lucide-react'
import { useCallback } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { useUser } from '#console/app/session/session.ts'
import { copyText, IconButton } from '#console/ui/buttons/buttons.tsx'
import { MenuButton } from '#console/ui/buttons/popup-buttons.tsx'
import type { MenuAction, MenuItems } from '#console/ui/overlays/menu-popup.tsx'
import { type ConfirmOptions, confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import type { User } from '#contract/entities/user.ts'
import { LOG_TYPE, USER_STATUS } from '#contract/enums.ts'
import type { UserAction } from '../contract.ts'
import { useUserMutations } from './queries.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'
import { allowedActions, canEdit, isDeregistered } from './user.ts'

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

/** The confirmation before an action. Enabling needs none because it removes nothing. */
function confirmation(action: UserAction, name: string, t: ScreenTranslate): ConfirmOptions | undefined {
  if (action === 'enable') return undefined
  const question = { title: t(`${action}Title`, { name }), text: t(`${action}Text`), action: t(action) }
  if (action === 'promote') return question
  const typedConfirmation = { text: name, label: t('deleteTyped', { name }) }
  return { ...question, isDanger: true, ...(action === 'delete' ? { typedConfirmation } : {}) }
}

/** The actions on one user. `confirmAndRun` resolves to false when it was cancelled or failed. */
export function useUserActions() {
  const t = useScreenText()
  const k = useKitText()
  const navigate = useNavigate()
  const self = useUser()
  const { manage } = useUserMutations()
  const { mutateAsync: send } = manage

  const change = useCallback(
    async (user: User, action: UserAction): Promise<boolean> => {
      const { id, username: name } = user
      try {
        await send({ id, action })
        const reverse = REVERSE_ACTIONS[action]
        const undo = reverse && { label: k('undo'), run: () => void change(user, reverse) }
        toast('success', t(DONE_TOASTS[action], { name }), undo)
        return true
      } catch (error) {
        toast('error', errorText(error))
        return false
      }
    },
    [send, t, k],
  )

  const confirmAndRun = useCallback(
    async (user: User, action: UserAction): Promise<boolean> => {
      const question = confirmation(action, user.username, t)
      return question && !(await confirm(question)) ? false : change(user, action)
    },
    [change, t],
  )

  const actionsFor = useCallback((user: User) => (self ? allowedActions(self, user) : []), [self])

  const menuItems = useCallback(
    (user: User): MenuItems => {
      const { username, id, email } = user
      const copy = async (value: string) => {
        if (await copyText(value)) toast('success', t('copied', { value }))
      }
      const log = (search: Record<string, string>) => () => void navigate({ to: '/log', search })
      const viewItems: MenuAction[] = [
        { label: t('openPage'), icon: IdCard, onSelect: () => void navigate({ to: `/user/${id}` }) },
        { label: t('usageLog'), icon: FileClock, onSelect: log({ user: username }) },
        { label: t('topUpLog'), icon: Wallet, onSelect: log({ user: username, type: `${LOG_TYPE.topUp}` }) },
        {
          label: t('statement'),
          icon: ReceiptText,
          onSelect: () => void navigate({ to: '/statement', search: { user: String(id) } }),
        },
        { label: t('copyId'), icon: Copy, onSelect: () => void copy(String(id)) },
        ...(email ? [{ label: t('copyEmail'), icon: Mail, onSelect: () => void copy(email) }] : []),
      ]
      const allowed = actionsFor(user)
      const roleItems: MenuAction[] = (['promote', 'demote'] as const)
        .filter(action => allowed.includes(action))
        .map(action => ({
          label: t(action),
          icon: action === 'promote' ? UserPlus : UserMinus,
          onSelect: () => void confirmAndRun(user, action),
        }))
      const deleteItems: MenuAction[] = allowed.includes('delete')
        ? [
            {
              label: t('delete'),
              icon: UserX,
              isDanger: true,
              onSelect: () => void confirmAndRun(user, 'delete'),
            },
          ]
        : []
      return [viewItems, roleItems, deleteItems].filter(items => items.length > 0)
    },
    [actionsFor, confirmAndRun, navigate, t],
  )

  return { confirmAndRun, actionsFor, menuItems }
}

interface UserRowActionsProps {
  readonly user: User
  readonly onOpen: (user: User) => void
  readonly onAction: (user: User, action: UserAction) => void
  readonly menuItems: (user: User) => MenuItems
}

/** The buttons of a row; none for a deregistered user. */
export function UserRowActions({ user, onOpen, onAction, menuItems }: UserRowActionsProps) {
  const t = useScreenText()
  const self = useUser()
  if (isDeregistered(user) || !self) return null
  const { username: name } = user
  const isEnabled = user.status === USER_STATUS.enabled
  const toggle = isEnabled ? 'disable' : 'enable'
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
        label={t(isEnabled ? 'disableNamed' : 'enableNamed', { name })}
        icon={isEnabled ? PowerOff : Power}
        size="small"
        disabled={!allowedActions(self, user).includes(toggle)}
        onClick={() => onAction(user, toggle)}
      />
      <MenuButton label={t('more', { name })} size="small" items={menuItems(user)} />
    </>
  )
}
