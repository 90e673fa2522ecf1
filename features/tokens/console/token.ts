import type { Token } from '#contract/entities/token.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'

/** The `expired_time` of a token without an expiry. */
export const NEVER = -1

export type TokenStatus = 'enabled' | 'enabledLimited' | 'disabled' | 'expired' | 'exhausted' | 'unknown'

const STATUS_NAMES: Readonly<Record<number, TokenStatus>> = {
  [TOKEN_STATUS.disabled]: 'disabled',
  [TOKEN_STATUS.expired]: 'expired',
  [TOKEN_STATUS.exhausted]: 'exhausted',
}

/** The status of a token at `now` (Unix seconds). The server stores an expiry only when the token is used, so the clock decides here. */
export function tokenStatus(token: Token, now: number): TokenStatus {
  if (token.status !== TOKEN_STATUS.enabled) return STATUS_NAMES[token.status] ?? 'unknown'
  if (token.expired_time !== NEVER && token.expired_time <= now) return 'expired'
  return token.model_limits_enabled ? 'enabledLimited' : 'enabled'
}

export const isEnabled = (token: Token): boolean => token.status === TOKEN_STATUS.enabled

export const fullKey = (token: Pick<Token, 'key'>): string => `sk-${token.key}`

const VISIBLE_LENGTH = 4

/** `sk-••••••••••abcd`: tells keys apart without revealing one. */
export const maskedKey = (token: Token): string => `sk-••••••••••${token.key.slice(-VISIBLE_LENGTH)}`

/** One line per token: its name, four spaces and its key. */
export const copyLines = (tokens: readonly Token[]): string =>
  tokens.map(token => `${token.name}    ${fullKey(token)}`).join('\n')

export const allowedModels = (token: Token): readonly string[] =>
  token.model_limits.split(',').filter(model => model !== '')
