import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ListedModel } from '../../provider-kit/contract/client-dialect.ts'

/** Source: ai.google.dev/api/models */
export const writeModelList = (models: readonly ListedModel[]): JsonObject => ({
  models: models.map(writeModel),
})

export const writeModel = ({ id }: ListedModel): JsonObject => ({
  name: `models/${id}`,
  version: '001',
  displayName: id,
  supportedGenerationMethods: ['generateContent', 'countTokens', 'embedContent'],
})
