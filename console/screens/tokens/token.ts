import type { Token } from '#contract/tokens.ts'

export const NEVER = -1
export const STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const

export type TokenStatus = 'enabled' | 'enabledLimited' | 'disabled' | 'expired' | 'exhausted' | 'unknown'

const STATUS_NAMES: Readonly<Record<number, TokenStatus>> = { 2: 'disabled', 3: 'expired', 4: 'exhausted' }

/** What a token is now. The server writes an expiry down only when the token is used: the clock knows it earlier. */
export function tokenStatus(token: Token, now: number): TokenStatus {
  if (token.status !== STATUS.enabled) return STATUS_NAMES[token.status] ?? 'unknown'
  if (token.expired_time !== NEVER && token.expired_time <= now) return 'expired'
  return token.model_limits_enabled ? 'enabledLimited' : 'enabled'
}

export const isEnabled = (token: Token): boolean => token.status === STATUS.enabled

export const fullKey = (token: Token): string => `sk-${token.key}`

const VISIBLE_LENGTH = 4

/** `sk-••••••••••abcd`: enough to tell keys apart. */
export const maskedKey = (token: Token): string => `sk-••••••••••${token.key.slice(-VISIBLE_LENGTH)}`

/** Name, four spaces and key, one token a line. */
export const copyLines = (tokens: readonly Token[]): string =>
  tokens.map(token => `${token.name}    ${fullKey(token)}`).join('\n')

export const allowedModels = (token: Token): readonly string[] =>
  token.model_limits.split(',').filter(model => model !== '')
