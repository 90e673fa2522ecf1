import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'

/**
 * The messages without the searches of other providers. Claude rejects results without encrypted content, so theirs become
 * text and lose their citations. Returns the same array when there are none.
 */
export function withoutForeignSearches(messages: readonly unknown[]): readonly unknown[] {
  if (!messages.some(hasForeignSearch)) return messages
  return messages.map(message =>
    hasForeignSearch(message)
      ? { ...message, content: asArray(message.content).flatMap(toOwnBlocks(foreignIds(message))) }
      : message,
  )
}

const hasForeignSearch = (message: unknown): message is JsonObject =>
  isObject(message) &&
  message.role === 'assistant' &&
  Array.isArray(message.content) &&
  message.content.some(block => isForeignResult(block) || hasForeignCitation(block))

const isForeignResult = (block: unknown): block is JsonObject =>
  isObject(block) &&
  block.type === 'web_search_tool_result' &&
  Array.isArray(block.content) &&
  block.content.length > 0 &&
  block.content.every(result => asObject(result).encrypted_content === '')

const isForeignCitation = (citation: unknown): boolean => asObject(citation).encrypted_index === ''

const hasForeignCitation = (block: unknown): boolean =>
  isObject(block) && Array.isArray(block.citations) && block.citations.some(isForeignCitation)

const foreignIds = ({ content }: JsonObject): ReadonlySet<unknown> =>
  new Set(
    asArray(content)
      .filter(isForeignResult)
      .map(block => block.tool_use_id),
  )

const toOwnBlocks =
  (foreign: ReadonlySet<unknown>) =>
  (block: unknown): readonly unknown[] => {
    if (isForeignResult(block)) return [toTextBlock(block)]
    const { type, id, citations, ...rest } = asObject(block)
    if (type === 'server_tool_use' && foreign.has(id)) return []
    if (!hasForeignCitation(block)) return [block]
    const own = asArray(citations).filter(citation => !isForeignCitation(citation))
    return [{ type, ...(id !== undefined && { id }), ...rest, ...(own.length > 0 && { citations: own }) }]
  }

const toTextBlock = ({ content }: JsonObject): JsonObject => {
  const lines = asArray(content)
    .map(asObject)
    .map(({ title, url }) => `- ${asString(title) ?? ''} ${asString(url) ?? ''}`)
  return { type: 'text', text: `Search results:\n${lines.join('\n')}` }
}
