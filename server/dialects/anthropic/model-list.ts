import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ListedModel } from '../../provider-kit/contract/client-dialect.ts'

/** Clients only look whether it is there. */
const CREATED_AT = '2024-01-01T00:00:00Z'

/** Source: docs.claude.com/en/api/models-list */
export const writeModelList = (models: readonly ListedModel[]): JsonObject => ({
  data: models.map(writeModel),
  has_more: false,
  first_id: models.at(0)?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
})

export const writeModel = ({ id }: ListedModel): JsonObject => ({
  type: 'model',
  id,
  display_name: id,
  created_at: CREATED_AT,
})
