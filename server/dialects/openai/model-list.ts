import type { ListedModel } from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'

/** Clients only check that it is present. This is the date of OpenAI's oldest models. */
const CREATED_SECONDS = 1_626_777_600

export const writeModelList = (models: readonly ListedModel[]): JsonObject => ({
  success: true,
  object: 'list',
  data: models.map(writeModel),
})

/**
 * A model object with the permission list of the API's first years. Source:
 * platform.openai.com/docs/api-reference/models/object
 */
export const writeModel = ({ id, ownedBy }: ListedModel): JsonObject => ({
  id,
  object: 'model',
  created: CREATED_SECONDS,
  owned_by: ownedBy,
  permission: [
    {
      id: `modelperm-${id}`,
      object: 'model_permission',
      created: CREATED_SECONDS,
      allow_create_engine: true,
      allow_sampling: true,
      allow_logprobs: true,
      allow_search_indices: false,
      allow_view: true,
      allow_fine_tuning: false,
      organization: '*',
      group: null,
      is_blocking: false,
    },
  ],
  root: id,
  parent: null,
})
