import { sameInBoth } from '../../core/language.ts'
import type { ListedModel } from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { invalidRequest, readPageSize } from '../../provider-kit/validation.ts'

/** Clients only check that it is present. */
const CREATED_AT = '2024-01-01T00:00:00Z'

/** One page of the model list, which `after_id` or `before_id` selects. Source: docs.claude.com/en/api/models-list */
export function writeModelList(
  models: readonly ListedModel[],
  query: URLSearchParams = new URLSearchParams(),
): JsonObject {
  const limit = readPageSize(query, 'limit')
  const before = findModel(models, query, 'before_id')
  const start = before === undefined ? (findModel(models, query, 'after_id') ?? -1) + 1 : before - limit
  const end = before ?? start + limit
  const page = models.slice(Math.max(start, 0), end)
  return {
    data: page.map(writeModel),
    has_more: before === undefined ? end < models.length : start > 0,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

/** The position of the model that a parameter names. */
function findModel(models: readonly ListedModel[], query: URLSearchParams, name: string): number | undefined {
  const named = query.get(name)
  if (named === null) return undefined
  const index = models.findIndex(({ id }) => id === named)
  if (index >= 0) return index
  return invalidRequest(name, sameInBoth(JSON.stringify(named)), {
    zh: '列表中的模型 ID',
    en: 'the ID of a model in the list',
  })
}

/** A listed model is served, so none is retired. */
export const writeModel = ({ id, ...model }: ListedModel): JsonObject => ({
  type: 'model',
  id,
  display_name: id,
  created_at: CREATED_AT,
  lifecycle: (model.deprecatedOn ?? model.retiresOn) === undefined ? 'active' : 'deprecated',
  deprecated_at: toTime(model.deprecatedOn),
  retires_at: toTime(model.retiresOn),
  max_input_tokens: model.inputTokensMax ?? null,
  max_tokens: model.outputTokensMax ?? null,
  capabilities: null,
  line: null,
})

const toTime = (day: string | undefined): string | null => (day === undefined ? null : `${day}T00:00:00Z`)
