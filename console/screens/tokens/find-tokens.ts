import { searchTokens } from '#contract/tokens.ts'
import { call } from '../../app/call.ts'
import type { FoundRecord } from '../../app/define-screen.ts'

const FOUND_MAX = 5

/** Own tokens whose name holds what was typed. */
export async function findTokens(typed: string, signal: AbortSignal): Promise<readonly FoundRecord[]> {
  const tokens = await call(searchTokens, { query: { keyword: typed, p: 0, size: FOUND_MAX }, signal })
  return tokens.map(({ id, name }) => ({ name, href: `/token?edit=${id}` }))
}
