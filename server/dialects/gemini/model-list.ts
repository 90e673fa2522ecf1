import { sameInBoth } from '../../core/language.ts'
import type { ListedModel } from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { invalidRequest, readPageSize } from '../../provider-kit/validation.ts'

/** One page of the model list. Source: ai.google.dev/api/models */
export function writeModelList(
  models: readonly ListedModel[],
  query: URLSearchParams = new URLSearchParams(),
): JsonObject {
  const start = findStart(models, query.get('pageToken') ?? '')
  const page = models.slice(start, start + readPageSize(query, 'pageSize'))
  const last = page.at(-1)
  const isLastPage = last === undefined || last === models.at(-1)
  return { models: page.map(writeModel), ...(!isLastPage && { nextPageToken: toPageToken(last) }) }
}

/** Names the model after which the next page begins, so that the list may change meanwhile. */
const toPageToken = ({ id }: ListedModel): string => Buffer.from(id).toString('base64url')

function findStart(models: readonly ListedModel[], pageToken: string): number {
  if (pageToken === '') return 0
  const index = models.findIndex(model => toPageToken(model) === pageToken)
  if (index >= 0) return index + 1
  return invalidRequest('pageToken', sameInBoth(JSON.stringify(pageToken)), {
    zh: '上一页的 nextPageToken',
    en: 'the nextPageToken of the previous page',
  })
}

const CHAT_METHODS = ['generateContent', 'streamGenerateContent', 'countTokens']
const EMBEDDING_METHODS = ['embedContent', 'batchEmbedContents']

export const writeModel = (model: ListedModel): JsonObject => ({
  name: `models/${model.id}`,
  version: '001',
  displayName: model.id,
  ...(model.inputTokensMax !== undefined && { inputTokenLimit: model.inputTokensMax }),
  ...(model.outputTokensMax !== undefined && { outputTokenLimit: model.outputTokensMax }),
  supportedGenerationMethods: model.isEmbedding ? EMBEDDING_METHODS : CHAT_METHODS,
})
