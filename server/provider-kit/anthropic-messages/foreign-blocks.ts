import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'
import { type NameRule, toLegalName } from '../rules/legal-names.ts'

/** Source: docs.claude.com/en/api/messages */
export const CLAUDE_IDS: NameRule = { illegal: /[^\w-]/gu, lengthMax: 128 }

const toClaudeId = (id: string): string => toLegalName(id, CLAUDE_IDS)

/**
 * The messages without the searches, the thinking and the ids of other providers. Claude rejects results without encrypted
 * content, so theirs become text and lose their citations, and it rejects thinking without a signature, also its own from
 * a stream that broke off. Returns the same array when there are none.
 */
export function withoutForeignBlocks(messages: readonly unknown[]): readonly unknown[] {
  if (!messages.some(hasForeignBlock)) return messages
  return messages.flatMap(message => {
    if (!hasForeignBlock(message)) return [message]
    const written = asArray(message.content).filter(block => !isBlankText(message, block))
    const content = written.flatMap(toOwnBlocks(foreignIds(message)))
    return content.length > 0 ? [{ ...message, content }] : []
  })
}

const hasForeignBlock = (message: unknown): message is JsonObject =>
  isObject(message) &&
  (Array.isArray(message.content)
    ? message.content.some(block => isForeignBlock(block) || isBlankText(message, block))
    : message.role === 'assistant' && isBlank(message.content))

const isForeignBlock = (block: unknown): boolean =>
  isUnsignedThinking(block) || isForeignResult(block) || hasForeignCitation(block) || hasForeignId(block)

const isBlank = (text: unknown): boolean => typeof text === 'string' && text.trim() === ''

/** Others begin their answers with blank lines before calls; Claude rejects texts of white space alone. */
const isBlankText = ({ role }: JsonObject, block: unknown): boolean =>
  role === 'assistant' && isObject(block) && block.type === 'text' && isBlank(block.text)

/** The field with the id of a call, by the type of the block. */
const ID_FIELDS: Readonly<Record<string, string>> = { tool_use: 'id', tool_result: 'tool_use_id' }

const idOf = (block: JsonObject): string | undefined =>
  asString(block[ID_FIELDS[asString(block.type) ?? ''] ?? ''])

function hasForeignId(block: unknown): block is JsonObject {
  const id = isObject(block) ? idOf(block) : undefined
  return id !== undefined && toClaudeId(id) !== id
}

function withOwnId(block: JsonObject): JsonObject {
  const field = ID_FIELDS[asString(block.type) ?? ''] ?? ''
  return { ...block, [field]: toClaudeId(asString(block[field]) ?? '') }
}

/** Redacted thinking is its own signature. */
const isUnsignedThinking = (block: unknown): boolean =>
  isObject(block) &&
  ((block.type === 'thinking' && !isClaudeSignature(asString(block.signature))) ||
    (block.type === 'redacted_thinking' && !isClaudeSignature(asString(block.data))))

/**
 * What stands in the place of a signature after turns of others: OpenAI's encrypted reasoning, placeholders of Gemini's clients,
 * and the ids and digests of those that serve Anthropic's format without signing.
 */
const OF_OTHERS =
  /^(?:gAAAA|skip_thought_signature_validator$|context_engineering_is_the_way_to_go$|[\da-f-]{32,}$)/

/** Whether Claude may have signed thinking. */
export function isClaudeSignature(signature: string | null | undefined): signature is string {
  const text = signature?.trim() ?? ''
  return text !== '' && !OF_OTHERS.test(text) && !isGeminiSignature(text)
}

const SIGNATURE_HEAD_CHARS = 24
const WRAPPER_TAGS: readonly (number | undefined)[] = [0x0a, 0x12]
const CONTINUES = 0x80
const GEMINI_VERSION = 1

/** Both sign with a message of Protocol Buffers, in up to two wrappers. Gemini's begins with a version, where Claude's has a field. */
function isGeminiSignature(signature: string): boolean {
  const bytes = Buffer.from(signature.slice(0, SIGNATURE_HEAD_CHARS), 'base64')
  let at = 0
  for (let wrapper = 0; wrapper < 2 && WRAPPER_TAGS.includes(bytes[at]); wrapper += 1) {
    at += 1
    while ((bytes[at] ?? 0) >= CONTINUES) at += 1
    at += 1
  }
  return bytes[at] === GEMINI_VERSION
}

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
    const { type, id } = asObject(block)
    if (isUnsignedThinking(block) || (type === 'server_tool_use' && foreign.has(id))) return []
    if (isForeignResult(block)) return [toTextBlock(block)]
    if (hasForeignId(block)) return [withOwnId(block)]
    return [hasForeignCitation(block) ? withOwnCitations(asObject(block)) : block]
  }

function withOwnCitations({ citations, ...block }: JsonObject): JsonObject {
  const own = asArray(citations).filter(citation => !isForeignCitation(citation))
  return own.length > 0 ? { ...block, citations: own } : block
}

const toTextBlock = ({ content }: JsonObject): JsonObject => {
  const lines = asArray(content)
    .map(asObject)
    .map(({ title, url }) => `- ${asString(title) ?? ''} ${asString(url) ?? ''}`)
  return { type: 'text', text: `Search results:\n${lines.join('\n')}` }
}
