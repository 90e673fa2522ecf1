import { useNavigate } from '@tanstack/react-router'
import { Copy, FileClock, Mail, UserMinus, UserPlus, UserX, Wallet } from 'lucide-react'
import { useCallback } from 'react'
import type { UserAction } from '#contract/user-calls.ts'
import type { User } from '#contract/users.ts'
import { errorText } from '../../app/call-error.ts'
import { useUser } from '../../app/session.ts'
import { confirm, type Question } from '../../ui/confirm.ts'
import { copyText } from '../../ui/copy-text.ts'
import { kitText } from '../../ui/kit-text.ts'
import type { MenuAction, MenuItems } from '../../ui/menu-items.ts'
import { type Translate, useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { useUserWrites } from './queries.ts'
import { actionsFor } from './standing.ts'
import { text } from './text.ts'

const TOP_UP = '1'
const REVERSE: Partial<Record<UserAction, UserAction>> = {
  promote: 'demote',
  demote: 'promote',
  disable: 'enable',
  enable: 'disable',
}
const DONE = {
  promote: 'promotedToast',
  demote: 'demotedToast',
  disable: 'disabledToast',
  enable: 'enabledToast',
  delete: 'deletedToast',
} as const

/** What is asked before it is done. Enabling is not asked: it takes nothing away. */
function questionOf(
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
  const { manage } = useUserWrites()
  const { mutateAsync: send } = manage

  const change = useCallback(
    async (user: User, action: UserAction): Promise<boolean> => {
      const { id, username: name } = user
      try {
        await send({ id, action })
        const back = REVERSE[action]
        const undo = back && { label: k('undo'), run: () => void change(user, back) }
        toast('success', t(DONE[action], { name }), undo)
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
      const question = questionOf(action, user.username, t)
      return question && !(await confirm(question)) ? false : change(user, action)
    },
    [change, t],
  )

  const actionsOf = useCallback((user: User) => (self ? actionsFor(self, user) : []), [self])

  const menuOf = useCallback(
    (user: User): MenuItems => {
      const { username, id, email } = user
      const copy = async (what: string) => {
        if (await copyText(what)) toast('success', t('copied', { what }))
      }
      const log = (search: Record<string, string>) => () => void navigate({ to: '/log', search })
      const look: MenuAction[] = [
        { label: t('usageLog'), icon: FileClock, onSelect: log({ user: username }) },
        { label: t('topUpLog'), icon: Wallet, onSelect: log({ user: username, type: TOP_UP }) },
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
