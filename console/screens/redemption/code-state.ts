import type { Redemption } from '#contract/redemptions.ts'

export const STATUS = { unused: 1, disabled: 2, used: 3 } as const

export type CodeState = keyof typeof STATUS

const STATES: Readonly<Record<number, CodeState>> = { 1: 'unused', 2: 'disabled', 3: 'used' }

export const stateOf = (code: Redemption): CodeState | 'unknown' => STATES[code.status] ?? 'unknown'

const HEAD = 4

/** `1a2b••••••••`: enough to tell codes apart, not enough to redeem one. */
export const maskedCode = (code: Redemption): string => `${code.key.slice(0, HEAD)}••••••••`

/** Name, four spaces and code, one a line. */
export const copyLines = (codes: readonly Redemption[]): string =>
  codes.map(({ name, key }) => `${name}    ${key}`).join('\n')
