import { fixedOperation } from '../fixed-operation.ts'
import { FAULT_MODELS, GEMINI_MODELS } from '../offered-models.ts'
import { gemini } from './vendor.ts'

const INPUT_TOKENS_MAX = 1_048_576
const OUTPUT_TOKENS_MAX = 65_536

const model = (id: string) => ({
  name: `models/${id}`,
  version: '001',
  displayName: id,
  inputTokenLimit: INPUT_TOKENS_MAX,
  outputTokenLimit: OUTPUT_TOKENS_MAX,
  supportedGenerationMethods: id.includes('embedding')
    ? ['embedContent', 'batchEmbedContents']
    : ['generateContent', 'streamGenerateContent'],
})

export const listModels = fixedOperation(gemini, /\/v1beta\/models$/, () => ({
  models: [...GEMINI_MODELS, ...FAULT_MODELS].map(model),
}))
