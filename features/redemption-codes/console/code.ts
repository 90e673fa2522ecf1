import { REDEMPTION_STATUS } from '#contract/enums.ts'
import type { Redemption } from '../contract.ts'

export type CodeStatus = keyof typeof REDEMPTION_STATUS

const STATUS_NAMES: Readonly<Record<number, CodeStatus>> = {
  [REDEMPTION_STATUS.unused]: 'unused',
  [REDEMPTION_STATUS.disabled]: 'disabled',
  [REDEMPTION_STATUS.used]: 'used',
}

export const codeStatus = (code: Redemption): CodeStatus | 'unknown' => STATUS_NAMES[code.status] ?? 'unknown'

const VISIBLE_LENGTH = 4

/** `1a2b••••••••`: tells codes apart without revealing one. */
export const maskedCode = (code: Redemption): string => `${code.key.slice(0, VISIBLE_LENGTH)}••••••••`

/** One line per code: its name, four spaces and the code. */
export const copyLines = (codes: readonly Redemption[]): string =>
  codes.map(({ name, key }) => `${name}    ${key}`).join('\n')
