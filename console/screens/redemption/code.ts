import type { Redemption } from '#contract/billing/redemptions.ts'

export const STATUS = { unused: 1, disabled: 2, used: 3 } as const

export type CodeStatus = keyof typeof STATUS

const STATUS_NAMES: Readonly<Record<number, CodeStatus>> = { 1: 'unused', 2: 'disabled', 3: 'used' }

export const codeStatus = (code: Redemption): CodeStatus | 'unknown' => STATUS_NAMES[code.status] ?? 'unknown'

const VISIBLE_LENGTH = 4

/** `1a2b••••••••`: enough to tell codes apart, not enough to redeem one. */
export const maskedCode = (code: Redemption): string => `${code.key.slice(0, VISIBLE_LENGTH)}••••••••`

/** Name, four spaces and code, one a line. */
export const copyLines = (codes: readonly Redemption[]): string =>
  codes.map(({ name, key }) => `${name}    ${key}`).join('\n')
