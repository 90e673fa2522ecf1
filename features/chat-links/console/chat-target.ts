import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { tokenKeyQuery, withoutKey } from '#console/app/api/token-keys.ts'
import {
  type ChatLink,
  type ConfiguredLinks,
  chatAddress,
  chatLinks,
  linkHost,
} from '#console/app/chat/chat-links.ts'
import { useUser } from '#console/app/session/session.ts'
import { listTokens, type Token } from '#contract/entities/token.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'

const KEY_PLACEHOLDER = '{key}'
const WEB = /^https?:$/

export type ChatTarget =
  | { readonly kind: 'no-link' | 'bad-link' | 'no-token' }
  | {
      readonly kind: 'open'
      readonly name: string
      readonly address: string
      readonly host: string
      /** The token whose key is part of the address; undefined when there is none. */
      readonly token: string | undefined
      /** Web pages can be framed; other schemes open an app. */
      readonly isWeb: boolean
    }

const needsKey = (link: ChatLink | undefined): boolean => link?.template.includes(KEY_PLACEHOLDER) ?? false
const isEnabled = ({ status }: Token): boolean => status === TOKEN_STATUS.enabled

/** The n-th configured chat link, filled in with the first enabled token. */
export function resolveChatTarget(
  links: ConfiguredLinks,
  index: number,
  tokens: readonly Token[],
  server: string,
): ChatTarget {
  const link = chatLinks(links)[index]
  if (!link) return { kind: 'no-link' }
  const token = needsKey(link) ? tokens.find(isEnabled) : undefined
  if (needsKey(link) && !token) return { kind: 'no-token' }
  const address = chatAddress(link.template, token ? `sk-${token.key}` : '', server)
  const host = address && linkHost(address)
  if (!address || !host) return { kind: 'bad-link' }
  return {
    kind: 'open',
    name: link.name,
    address,
    host,
    token: token?.name,
    isWeb: WEB.test(new URL(address).protocol),
  }
}

const TOKENS_MAX = 100

const tokensQuery = queryOptions({
  queryKey: ['tokens', 'for-chat'],
  queryFn: async ({ signal }) =>
    (await call(listTokens, { query: { p: 0, size: TOKENS_MAX }, signal })).map(withoutKey),
})

/** Resolves the n-th chat link. `target` is undefined while tokens load. */
export function useChatTarget(index: number) {
  const user = useUser()
  const status = useStatus()
  const list = useQuery({ ...tokensQuery, enabled: user !== undefined })
  const token = needsKey(chatLinks(status)[index]) ? list.data?.find(isEnabled) : undefined
  const key = useQuery({ ...tokenKeyQuery(token?.id ?? 0), enabled: token !== undefined })
  const tokens = token ? key.data && [{ ...token, key: key.data }] : list.data
  const target = tokens && resolveChatTarget(status, index, tokens, serverAddress(status))
  const failed = list.error ? list : key
  return { isGuest: user === undefined, target, error: failed.error, refetch: failed.refetch }
}
