import { queryOptions, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { listTokens, type Token } from '#contract/tokens.ts'
import { call } from '../api/call.ts'
import { serverAddress, useStatus } from '../api/status.ts'
import { readStoredJson, writeStoredJson } from '../preferences/local-store.ts'
import { useUser } from '../session/session.ts'
import { type ConfiguredLinks, chatAddress, chatLinksOf, hostOf } from './chat-links.ts'

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

/** Where a chat leads: the configured link of this place, with the first enabled token. */
export function chatTarget(
  links: ConfiguredLinks,
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

const trustedHosts = (): readonly string[] => z.array(z.string()).catch([]).parse(readStoredJson('key-hosts'))

/** Whether the reader has agreed in this browser that a host may be given keys. */
export const isTrustedHost = (host: string): boolean => trustedHosts().includes(host)

export const trustHost = (host: string): void => writeStoredJson('key-hosts', [...trustedHosts(), host])

const TOKENS_ASKED = 100

const tokensQuery = queryOptions({
  queryKey: ['tokens', 'for-chat'],
  queryFn: ({ signal }) => call(listTokens, { query: { p: 0, size: TOKENS_ASKED }, signal }),
})

/** Where the chat of this place leads; undefined while the tokens are on their way. */
export function useChatTarget(place: number) {
  const user = useUser()
  const status = useStatus()
  const { data: tokens, error, refetch } = useQuery({ ...tokensQuery, enabled: user !== undefined })
  const target = tokens && chatTarget(status, place, tokens, serverAddress(status))
  return { isGuest: user === undefined, target, error, refetch }
}
