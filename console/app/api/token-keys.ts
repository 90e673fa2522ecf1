import { queryOptions } from '@tanstack/react-query'
import { revealTokenKeys, type Token } from '#contract/entities/token.ts'
import { toast } from '../../ui/overlays/messages.tsx'
import { call, errorText, isReauthenticationDeclined } from './call.ts'

const VISIBLE_LENGTH = 4

/**
 * A listed token as the console keeps it: with the end of its key only. The whole key is fetched when it is shown or
 * copied, so that no cache can reveal it to whoever uses the browser next.
 */
export const withoutKey = (token: Token): Token => ({ ...token, key: token.key.slice(-VISIBLE_LENGTH) })

type Identified = Pick<Token, 'id'>

/** The tokens with their keys. May ask the user to confirm the identity. Throws `CallError`. */
async function fetchKeys<Listed extends Identified>(
  tokens: readonly Listed[],
): Promise<readonly (Listed & { readonly key: string })[]> {
  const revealed = await call(revealTokenKeys, { body: { ids: tokens.map(({ id }) => id) } })
  const keys = new Map(revealed.map(({ id, key }) => [id, key]))
  return tokens.flatMap(token => {
    const key = keys.get(token.id)
    return key === undefined ? [] : [{ ...token, key }]
  })
}

/** Like `fetchKeys`, for actions: shows a toast and returns undefined on failure. */
export async function revealKeys<Listed extends Identified>(tokens: readonly Listed[]) {
  try {
    return await fetchKeys(tokens)
  } catch (error) {
    if (!isReauthenticationDeclined(error)) toast('error', errorText(error))
    return undefined
  }
}

/** The key of one own token, without the prefix `sk-`. Not cached beyond its use. */
export const tokenKeyQuery = (id: number) =>
  queryOptions({
    queryKey: ['token-key', id],
    queryFn: async () => (await fetchKeys([{ id }]))[0]?.key ?? '',
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
