import { toHandle } from '../../core/ids.ts'
import type { AccountReferences } from '../../provider-kit/contract/client-dialect.ts'
import { asArray, asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { readCarriedSignature } from '../../provider-kit/rules/carried-signatures.ts'

/** Reads `previous_response_id`, item references and the encrypted content of reasoning and compaction. */
export function readAccountReferences(json: JsonObject): AccountReferences | undefined {
  const stored: string[] = []
  const droppable: string[] = []
  const previousId = asString(json.previous_response_id)
  if (previousId) stored.push(toHandle(previousId))
  for (const item of asArray(json.input).map(asObject)) {
    const content = readContent(item)
    if (content) (isReasoning(item) ? droppable : stored).push(toHandle(content))
    const referenceId = item.type === 'item_reference' ? asString(item.id) : undefined
    if (referenceId) stored.push(toHandle(referenceId))
  }
  return stored.length + droppable.length === 0 ? undefined : { stored, droppable }
}

/**
 * Leaves out reasoning that another account encrypted. Ids of other items go too, since a provider looks for the reasoning
 * that belongs to an item with an id.
 */
export const withoutEncryptedContent = (json: JsonObject): JsonObject => ({
  ...json,
  input: asArray(json.input)
    .map(asObject)
    .filter(item => !isReasoning(item))
    .map(({ id: _, ...item }) => item),
})

const readContent = ({ encrypted_content: content }: JsonObject): string | undefined =>
  readCarriedSignature(content) ?? asString(content)

const isReasoning = ({ type }: JsonObject): boolean => type === 'reasoning'
