import { z } from 'zod'
import { TokenFields } from '#contract/entities/token-fields.ts'

const HOUR_SECONDS = 3600
const LIFE_SECONDS_MAX = 30 * 24 * HOUR_SECONDS
const UNITS_MAX = 1_000_000_000_000

const {
  expired_time: _expiry,
  unlimited_quota: _unlimited,
  model_limits_enabled: _enabled,
  group: _group,
  ...shape
} = TokenFields.shape

/** The body of a request for a child token: the fields of a token, by which it can only have less than its parent. */
export const ChildDraft = z.strictObject({
  ...shape,
  name: shape.name.default('child'),
  /** In quota units. Absent: only where the parent has no quota either. */
  remain_quota: z.int().min(1).max(UNITS_MAX).optional(),
  /** Seconds. */
  expires_in: z.int().min(1).max(LIFE_SECONDS_MAX).default(HOUR_SECONDS),
})
export type ChildDraft = z.infer<typeof ChildDraft>
