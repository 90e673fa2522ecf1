import { fixedOperation } from '../fixed-operation.ts'
import { FAULT_MODELS, OPENAI_MODELS } from '../offered-models.ts'
import type { Operation } from '../operation.ts'
import { CREATED_SECONDS } from './chat.ts'
import { openai } from './vendor.ts'

const HARD_LIMIT_DOLLARS = 120
const SPENT_CENTS = 1234.5

const model = (id: string) => ({ id, object: 'model', created: CREATED_SECONDS, owned_by: 'lab' })

/** The models, and the billing calls that resellers of this format answer. */
export const account: readonly Operation[] = [
  fixedOperation(openai, /\/(?:v1|v1beta\/openai)\/models$/, () => ({
    object: 'list',
    data: [...OPENAI_MODELS, ...FAULT_MODELS].map(model),
  })),
  fixedOperation(openai, /\/v1\/models\/([^/:]+)$/, model),
  fixedOperation(openai, /\/v1\/dashboard\/billing\/subscription$/, () => ({
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: HARD_LIMIT_DOLLARS,
    hard_limit_usd: HARD_LIMIT_DOLLARS,
    system_hard_limit_usd: HARD_LIMIT_DOLLARS,
    access_until: CREATED_SECONDS,
  })),
  fixedOperation(openai, /\/v1\/dashboard\/billing\/usage$/, () => ({
    object: 'list',
    total_usage: SPENT_CENTS,
  })),
]
