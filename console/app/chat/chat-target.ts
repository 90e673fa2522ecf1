import { queryOptions, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { listTokens, type Token } from '#contract/tokens.ts'
import { call } from '../api/call.ts'
import { serverAddress, useStatus } from '../api/status.ts'
import { readStoredJson, writeStoredJson } from '../preferences/local-store.ts'
import { useUser } from '../session/session.ts'
import { type ConfiguredLinks, chatAddress, chatLinks, linkHost } from './chat-links.ts'

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

/** The n-th configured chat link, filled in with the first enabled token. */
export function resolveChatTarget(
  links: ConfiguredLinks,
  index: number,
  tokens: readonly Token[],
  server: string,
): ChatTarget {
  const link = chatLinks(links)[index]
  if (!link) return { kind: 'no-link' }
  const needsKey = link.template.includes(KEY_PLACEHOLDER)
  const token = needsKey ? tokens.find(({ status }) => status === TOKEN_STATUS.enabled) : undefined
  if (needsKey && !token) return { kind: 'no-token' }
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

const trustedHosts = (): readonly string[] => z.array(z.string()).catch([]).parse(readStoredJson('key-hosts'))

/** Whether the user allowed this host to receive keys, in this browser. */
export const isTrustedHost = (host: string): boolean => trustedHosts().includes(host)

export const trustHost = (host: string): void => writeStoredJson('key-hosts', [...trustedHosts(), host])

const TOKENS_MAX = 100

const tokensQuery = queryOptions({
  queryKey: ['tokens', 'for-chat'],
  queryFn: ({ signal }) => call(listTokens, { query: { p: 0, size: TOKENS_MAX }, signal }),
})

/** Resolves the n-th chat link. `target` is undefined while tokens load. */
export function useChatTarget(index: number) {
  const user = useUser()
  const status = useStatus()
  const { data: tokens, error, refetch } = useQuery({ ...tokensQuery, enabled: user !== undefined })
  const target = tokens && resolveChatTarget(status, index, tokens, serverAddress(status))
  return { isGuest: user === undefined, target, error, refetch }
}
