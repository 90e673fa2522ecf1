import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { endpoint, IdParams } from '#contract/endpoint.ts'
import { Token } from '#contract/entities/token.ts'

export const OVERLAP_HOURS = 24
const OVERLAP_HOURS_MAX = 720

export const rotateToken = endpoint({
  method: 'POST',
  path: '/api/token/:id/rotate',
  role: 'user',
  organization: 'member',
  changes: RECORDS.token,
  summary: 'Give one of your tokens a new key',
  description:
    'The key that it has now stays valid beside the new one for `overlap_hours`; one that was replaced before ends at once. Limits, statistics and the id stay.',
  params: IdParams,
  body: z.object({
    overlap_hours: z
      .number()
      .int()
      .min(0)
      .max(OVERLAP_HOURS_MAX)
      .default(OVERLAP_HOURS)
      .meta({
        description: `Hours for which both keys are valid, at most ${OVERLAP_HOURS_MAX}. 0: the former key ends at once.`,
        example: OVERLAP_HOURS,
      }),
  }),
  reply: Token,
})
