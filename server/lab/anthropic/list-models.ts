import { fixedOperation } from '../fixed-operation.ts'
import { ANTHROPIC_MODELS, FAULT_MODELS } from '../offered-models.ts'
import type { Operation } from '../operation.ts'
import { anthropic } from './vendor.ts'

const IDS = [...ANTHROPIC_MODELS, ...FAULT_MODELS]

const model = (id: string) => ({ type: 'model', id, display_name: id, created_at: '2025-06-30T00:00:00Z' })

/** The path is OpenAI's too: the vendor's own header tells them apart. */
export const listModels: Operation = {
  ...fixedOperation(anthropic, /\/v1\/models$/, () => ({
    data: IDS.map(model),
    has_more: false,
    first_id: IDS[0],
    last_id: IDS.at(-1),
  })),
  isFor: request => request.headers.has('anthropic-version'),
}
