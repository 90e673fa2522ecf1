import type { Status } from '#contract/status.ts'
import type { Token } from '#contract/tokens.ts'
import { chatAddress, chatLinksOf, hostOf } from './chat-links.ts'

const ENABLED = 1
const KEY_PLACE = '{key}'
const WEB = /^https?:$/

export type ChatTarget =
  | { readonly is: 'no-link' | 'bad-link' | 'no-token' }
  | {
      readonly is: 'open'
      readonly name: string
      readonly address: string
      readonly host: string
      /** The token whose key stands in the address; undefined when none does. */
      readonly token: string | undefined
      /** A page that can be framed; everything else is for an app. */
      readonly isWeb: boolean
    }

type Links = Pick<Status, 'chats' | 'chat_link' | 'chat_link2'>

/** Where a chat leads: the configured link of this place, with the first enabled token. */
export function chatTarget(
  links: Links,
  place: number,
  tokens: readonly Token[],
  server: string,
): ChatTarget {
  const link = chatLinksOf(links)[place]
  if (!link) return { is: 'no-link' }
  const needsKey = link.template.includes(KEY_PLACE)
  const token = needsKey ? tokens.find(({ status }) => status === ENABLED) : undefined
  if (needsKey && !token) return { is: 'no-token' }
  const address = chatAddress(link.template, token ? `sk-${token.key}` : '', server)
  const host = address && hostOf(address)
  if (!address || !host) return { is: 'bad-link' }
  return {
    is: 'open',
    name: link.name,
    address,
    host,
    token: token?.name,
    isWeb: WEB.test(new URL(address).protocol),
  }
}

/** The configured chats that lead somewhere, for the sidebar. */
export const openChats = (links: Links): ReadonlyArray<{ readonly label: string; readonly to: string }> =>
  chatLinksOf(links).flatMap(({ name, template }, place) =>
    chatAddress(template, 'k', 'https://server.example') ? [{ label: name, to: `/chat/${place}` }] : [],
  )
