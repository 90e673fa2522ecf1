import { z } from 'zod'
import { RANGES } from './ranges.ts'

const Digits = z.string().regex(/^\d*$/).catch('').default('')

/** The stretch of time in an address. `range` is absent while the list's own holds; `from` and `to` win over it. */
export const RangeSearch = {
  range: z.enum(RANGES).optional().catch(undefined),
  from: Digits,
  to: Digits,
} as const
