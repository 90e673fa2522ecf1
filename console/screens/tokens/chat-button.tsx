import { MessageSquare } from 'lucide-react'
import type { Token } from '#contract/tokens.ts'
import { type ChatLink, chatAddress, chatLinksOf, hostOf } from '../../app/chat/chat-links.ts'
import { isTrustedHost, trustHost } from '../../app/chat/trusted-hosts.ts'
import { serverAddress, useStatus } from '../../app/status.ts'
import { confirm } from '../../ui/confirm.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { MenuButton } from '../../ui/menu-button.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { text } from './text.ts'
import { fullKey } from './token-state.ts'

/** Opens a configured chat page with this token's key, after its host was confirmed once. Not there without one. */
export function ChatButton({ token }: { readonly token: Token }) {
  const t = useText(text)
  const status = useStatus()
  const links = chatLinksOf(status)
  const openChat = async (link: ChatLink) => {
    const address = chatAddress(link.template, fullKey(token), serverAddress(status))
    const host = address && hostOf(address)
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
