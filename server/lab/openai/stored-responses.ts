import { createAccountStore } from '../account-store.ts'
import type { LabOperation, OperationTarget } from '../operation.ts'
import { openai } from './provider.ts'
import type { ResponsesItem } from './read-responses.ts'

interface StoredResponse {
  readonly response: object
  /** All items of the conversation so far, input and output. */
  readonly items: readonly ResponsesItem[]
  readonly inputItems: readonly ResponsesItem[]
}

const responses = createAccountStore<StoredResponse>()
const items = createAccountStore<ResponsesItem>()

export function storeResponse(account: string, id: string, stored: StoredResponse): void {
  responses.put(account, id, stored)
  for (const item of stored.items)
    if (item.id && item.type !== 'item_reference') items.put(account, item.id, item)
}

export const findStoredResponse = responses.find
export const findStoredItem = items.find
export const listStoredItems = (account: string, id: string): readonly ResponsesItem[] =>
  responses.find(account, id)?.items ?? []

/** An operation on a stored response, whose id is in the path. */
const onStored = (
  method: LabOperation['method'],
  path: RegExp,
  reply: (stored: StoredResponse | undefined, target: OperationTarget) => unknown,
): LabOperation => ({
  method,
  path,
  provider: openai,
  isLive: true,
  read: (_, target) => ({
    success: true,
    data: {
      ...target,
      model: '',
      lastText: '',
      findProblem: () =>
        responses.find(target.account, target.model)
          ? undefined
          : { status: 404, message: `Response with id '${target.model}' not found.` },
      reply: () => ({ json: () => reply(responses.find(target.account, target.model), target) }),
    },
  }),
})

const STORED_PATH = /\/v1\/responses\/([^/]+)$/

/** Retrieval and deletion. Source: platform.openai.com/docs/api-reference/responses/get */
export const storedResponses: readonly LabOperation[] = [
  onStored('GET', STORED_PATH, stored => stored?.response),
  onStored('DELETE', STORED_PATH, (_, { account, model: id }) => ({
    id,
    object: 'response',
    deleted: responses.delete(account, id),
  })),
  onStored('GET', /\/v1\/responses\/([^/]+)\/input_items$/, stored => ({
    object: 'list',
    data: stored?.inputItems ?? [],
    first_id: stored?.inputItems[0]?.id ?? null,
    last_id: stored?.inputItems.at(-1)?.id ?? null,
    has_more: false,
  })),
]
