import { useNavigate } from '@tanstack/react-router'
import { Copy, FileClock, Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import type { Token } from '#contract/tokens.ts'
import { CallError, errorText } from '../../app/call-error.ts'
import { hasScreen } from '../../app/screens.ts'
import { confirm } from '../../ui/confirm.ts'
import { kitText } from '../../ui/kit-text.ts'
import type { MenuAction, MenuItems } from '../../ui/menu-items.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { useTokenWrites } from './queries.ts'
import { NEW } from './search.ts'
import { text } from './text.ts'
import { isEnabled, STATUS } from './token-state.ts'

const FIX: Readonly<Record<string, 'editExpiry' | 'editQuota'>> = {
  'token.expired': 'editExpiry',
  'token.exhausted': 'editQuota',
}

/** What can be done with one token. `onOpen` opens the sheet. */
export function useTokenActions(onOpen: (edit: string, from?: string) => void) {
  const t = useText(text)
  const k = useText(kitText)
  const navigate = useNavigate()
  const { setStatus, remove } = useTokenWrites()
  const { mutateAsync: sendStatus } = setStatus
  const { mutateAsync: sendRemove } = remove

  const switchStatus = useCallback(
    async (token: Token, status: 1 | 2): Promise<void> => {
      try {
        await sendStatus({ id: token.id, status })
        const undo = () =>
          void switchStatus(token, status === STATUS.enabled ? STATUS.disabled : STATUS.enabled)
        const key = status === STATUS.enabled ? 'enabledToast' : 'disabledToast'
        toast('success', t(key, { name: token.name }), { label: k('undo'), run: undo })
      } catch (error) {
        const fix = error instanceof CallError ? FIX[error.code ?? ''] : undefined
        toast('error', errorText(error), fix && { label: t(fix), run: () => onOpen(String(token.id)) })
      }
    },
    [sendStatus, onOpen, t, k],
  )

  const toggle = useCallback(
    (token: Token) => void switchStatus(token, isEnabled(token) ? STATUS.disabled : STATUS.enabled),
    [switchStatus],
  )

  const askDelete = useCallback(
    async (token: Token): Promise<void> => {
      const question = { title: t('deleteTitle', { name: token.name }), text: t('deleteText') }
      if (!(await confirm({ ...question, action: t('delete'), isDanger: true }))) return
      await sendRemove(token.id)
      toast('success', t('deletedToast', { name: token.name }))
    },
    [sendRemove, t],
  )

  const menuOf = useCallback(
    (token: Token): MenuItems => {
      const log: MenuAction[] = hasScreen('/log')
        ? [
            {
              label: t('usageLog'),
              icon: FileClock,
              onSelect: () => void navigate({ to: '/log', search: { token: token.name } }),
            },
          ]
        : []
      return [
        [...log, { label: t('duplicate'), icon: Copy, onSelect: () => onOpen(NEW, String(token.id)) }],
        [{ label: t('delete'), icon: Trash2, isDanger: true, onSelect: () => void askDelete(token) }],
      ]
    },
    [navigate, onOpen, askDelete, t],
  )

  return { toggle, askDelete, menuOf }
}
