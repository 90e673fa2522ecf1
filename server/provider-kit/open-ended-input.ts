import type { ChatBody } from './contract/chat.ts'
import { asArray, isObject } from './json.ts'

/** Fields that make a provider search, or continue a conversation that it has stored. */
const FIELDS = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'previous_response_id',
  'conversation',
] as const
/** Models that search or act by themselves. */
const MODELS = /search|sonar|research|agent|online|compound|\bbot\b|gizmo|-all$/i
const MEASURED_PARTS: ReadonlySet<string> = new Set(['text', 'image_url', 'input_audio', 'refusal'])

/**
 * Whether a provider may add input of its own that the request does not show: search results, files that are only named,
 * a stored conversation.
 */
export const hasOpenEndedInput = (body: ChatBody): boolean =>
  MODELS.test(body.model) ||
  FIELDS.some(field => Boolean(body[field])) ||
  asArray(body.tools).some(tool => isObject(tool) && tool.type !== 'function' && tool.type !== 'custom') ||
  body.messages.some(
    ({ content }) =>
      typeof content === 'object' && content?.some(({ type }) => !MEASURED_PARTS.has(type)) === true,
  )
