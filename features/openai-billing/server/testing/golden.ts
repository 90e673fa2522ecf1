import { lookUp } from '../../../../tests/golden/cases/operations.ts'
import type { GoldenCases } from '../../../../tests/golden/recorder.ts'

export const golden: GoldenCases = {
  'the balance of a token': lookUp('/v1/dashboard/billing/subscription', { token: 'limited' }),
}
