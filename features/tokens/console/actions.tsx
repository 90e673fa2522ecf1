import { useNavigate } from '@tanstack/react-router'
import { Copy, FileClock, MessageSquare, Pencil, Power, PowerOff, RefreshCw, Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import { CallError, errorText } from '#console/app/api/call.ts'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { revealKeys } from '#console/app/api/token-keys.ts'
import {
  type ChatLink,
  chatAddress,
  chatLinks,
  isTrustedHost,
  linkHost,
  trustHost,
} from '#console/app/chat/chat-links.ts'
import { hasScreen } from '#console/app/router/screens.ts'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { MenuButton } from '#console/ui/buttons/popup-buttons.tsx'
import type { MenuAction, MenuItems } from '#console/ui/overlays/menu-popup.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import type { Token } from '#contract/entities/token.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { useTokenMutations } from './queries.ts'
import { NEW } from './search-params.ts'
import { useScreenText } from './text.ts'
import { fullKey, isEnabled } from './token.ts'

/** A failed enable offers to edit the field that prevents it, by error code. */
const FIX_LABELS: Readonly<Record<string, 'editExpiry' | 'editQuota'>> = {
  'token.expired': 'editExpiry',
  'token.exhausted': 'editQuota',
}

/** The key of a listed token with its prefix; undefined when it cannot be had, which the user has been told. */
export async function revealedKey({ id }: Token): Promise<string | undefined> {
  const [token] = (await revealKeys([{ id }])) ?? []
  return token && fullKey(token)
}

/** The actions on one token. `onOpen` opens the sheet, with the token to copy as its second argument. */
export function useTokenActions(
  onOpen: (edit: string, from?: string) => void,
  onRotated: (token: Token) => void,
) {
  const t = useScreenText()
  const k = useKitText()
  const navigate = useNavigate()
  const { setStatus, remove, rotate } = useTokenMutations()
  const { mutateAsync: sendStatus } = setStatus
  const { mutateAsync: sendRemove } = remove
  const { mutate: sendRotate } = rotate

  const switchStatus = useCallback(
    async (token: Token, status: 1 | 2): Promise<void> => {
      try {
        await sendStatus({ id: token.id, status })
        const undo = () =>
          void switchStatus(
            token,
            status === TOKEN_STATUS.enabled ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled,
          )
        const key = status === TOKEN_STATUS.enabled ? 'enabledToast' : 'disabledToast'
        toast('success', t(key, { name: token.name }), { label: k('undo'), run: undo })
      } catch (error) {
        const fix = error instanceof CallError ? FIX_LABELS[error.code ?? ''] : undefined
        toast('error', errorText(error), fix && { label: t(fix), run: () => onOpen(String(token.id)) })
      }
    },
    [sendStatus, onOpen, t, k],
  )

  const toggle = useCallback(
    (token: Token) =>
      void switchStatus(token, isEnabled(token) ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled),
    [switchStatus],
  )

  const confirmDelete = useCallback(
    async (token: Token): Promise<void> => {
      const question = { title: t('deleteTitle', { name: token.name }), text: t('deleteText') }
      if (!(await confirm({ ...question, action: t('delete'), isDanger: true }))) return
      await sendRemove(token.id)
      toast('success', t('deletedToast', { name: token.name }))
    },
    [sendRemove, t],
  )

  const menuItems = useCallback(
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
        [
          {
            label: t('rotate'),
            icon: RefreshCw,
            onSelect: () => sendRotate(token.id, { onSuccess: rotated => onRotated(rotated) }),
          },
        ],
        [...log, { label: t('duplicate'), icon: Copy, onSelect: () => onOpen(NEW, String(token.id)) }],
        [{ label: t('delete'), icon: Trash2, isDanger: true, onSelect: () => void confirmDelete(token) }],
      ]
    },
    [navigate, onOpen, onRotated, confirmDelete, sendRotate, t],
  )

  return { toggle, confirmDelete, menuItems }
}

interface TokenRowActionsProps {
  readonly token: Token
  readonly onEdit: (token: Token) => void
  readonly onToggle: (token: Token) => void
  readonly menuItems: (token: Token) => MenuItems
}

export function TokenRowActions({ token, onEdit, onToggle, menuItems }: TokenRowActionsProps) {
  const t = useScreenText()
  const { name } = token
  const isOn = isEnabled(token)
  return (
    <>
      <ChatButton token={token} />
      <IconButton label={t('edit', { name })} icon={Pencil} size="small" onClick={() => onEdit(token)} />
      <IconButton
        label={t(isOn ? 'disableNamed' : 'enableNamed', { name })}
        icon={isOn ? PowerOff : Power}
        size="small"
        onClick={() => onToggle(token)}
      />
      <MenuButton label={t('more', { name })} size="small" items={menuItems(token)} />
    </>
  )
}

/** Opens a configured chat page with the key of this token. The user confirms each host once. Renders nothing when no page is configured. */
function ChatButton({ token }: { readonly token: Token }) {
  const t = useScreenText()
  const status = useStatus()
  const links = chatLinks(status)
  const openChat = async (link: ChatLink) => {
    const key = await revealedKey(token)
    if (key === undefined) return
    const address = chatAddress(link.template, key, serverAddress(status))
    const host = address && linkHost(address)
    if (!address || !host) return toast('error', t('chatBad'))
    if (!(await isTrusted(host))) return
    window.open(address, '_blank', 'noopener')
  }
  const isTrusted = async (host: string): Promise<boolean> => {
    if (isTrustedHost(host)) return true
    const isConfirmed = await confirm({
      title: t('chatConsentTitle', { host }),
      text: t('chatConsentText', { host }),
      action: t('chatConsent'),
    })
    if (isConfirmed) trustHost(host)
    return isConfirmed
  }
  const [first, ...others] = links
  if (!first) return null
  const label = t('chatWith', { name: token.name })
  if (others.length === 0) {
    return <IconButton label={label} icon={MessageSquare} size="small" onClick={() => void openChat(first)} />
  }
  const items = links.map(link => ({ label: link.name, onSelect: () => void openChat(link) }))
  return <MenuButton label={label} icon={MessageSquare} size="small" items={[items]} />
}
