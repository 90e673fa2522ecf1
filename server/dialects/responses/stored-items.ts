import { asArray, asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { findResponseIdOfItem, isOwnResponseId } from './stored-ids.ts'

/** A request's references to our own store. */
export interface StoredReferences {
  readonly previousId: string | undefined
  readonly itemIds: readonly string[]
}

/** References to providers' own responses and items are left to their accounts. */
export function readStoredReferences(json: JsonObject): StoredReferences {
  const previousId = asString(json.previous_response_id)
  const itemIds: string[] = []
  for (const item of asArray(json.input)) {
    const itemId = readReference(item)
    if (itemId) itemIds.push(itemId)
  }
  return {
    previousId: previousId && isOwnResponseId(previousId) ? previousId : undefined,
    itemIds,
  }
}

/** The id of one of our items. */
function readReference(item: unknown): string | undefined {
  if (!isObject(item) || item.type !== 'item_reference') return undefined
  const itemId = asString(item.id)
  return itemId && findResponseIdOfItem(itemId) ? itemId : undefined
}

/** The input of a request as items. Undefined for input that is neither text nor a list. */
export function toInputItems(input: unknown): readonly JsonObject[] | undefined {
  if (input === undefined || input === null) return []
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) && input.every(isObject) ? input : undefined
}

/** The items, with the referenced ones in place of references. */
export const withReferencedItems = (
  items: readonly JsonObject[],
  itemOfId: ReadonlyMap<string, JsonObject>,
): readonly JsonObject[] => items.map(item => itemOfId.get(readReference(item) ?? '') ?? item)

/**
 * Items of earlier responses as input. Providers look up ids, and may not have stored the items. Reasoning needs its id, and
 * is left out where no provider could read it again.
 */
export const toInputAgain = (items: readonly JsonObject[]): readonly JsonObject[] =>
  items.filter(canBeSentAgain).map(withoutId)

const canBeSentAgain = ({ type, id, encrypted_content: encrypted }: JsonObject): boolean =>
  type !== 'reasoning' ||
  typeof encrypted === 'string' ||
  findResponseIdOfItem(asString(id) ?? '') !== undefined

const withoutId = (item: JsonObject): JsonObject => {
  const { id: _, ...rest } = item
  return item.type === 'reasoning' ? item : rest
}

/** The id of the conversation that a request continues. */
export const readConversationId = ({ conversation }: JsonObject): string | undefined =>
  asString(conversation) ?? asString(asObject(conversation).id)

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
}

/** Input items as the API lists them: with ids, and texts as parts. */
export const toListedItems = (items: readonly JsonObject[], requestId: string): readonly JsonObject[] =>
  items.map((item, index) => {
    const type = asString(item.type) ?? 'message'
    const id = asString(item.id) ?? `${PREFIXES[type] ?? 'item'}_${requestId}_input_${index}`
    return type === 'message' ? toListedMessage(item, id) : { ...item, id, type }
  })

function toListedMessage(item: JsonObject, id: string): JsonObject {
  const { content } = item
  const partType = item.role === 'assistant' ? 'output_text' : 'input_text'
  const parts = typeof content === 'string' ? [{ type: partType, text: content }] : content
  return { status: 'completed', ...item, id, type: 'message', content: parts }
}
