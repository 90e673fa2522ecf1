import type { ChatBody, ChatMessage, ContentPart } from './chat.ts'
import { parseJson } from './json.ts'
import { refuse } from './refuse.ts'

/** For vendors that know tools only. Throws a GatewayError `invalid_request` for OpenAI's first form of them. */
export function refuseLegacyFunctions(body: ChatBody): void {
  if (body.functions || body.messages.some(({ role, function_call }) => role === 'function' || function_call))
    refuse('functions', 'the old form of function calls', '`tools` and messages of the role "tool"')
}

export const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'

export const partsOf = (content: ChatMessage['content']): readonly ContentPart[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content ?? []
}

/** The arguments of a tool call as an object: `{}` where a model wrote something else. */
export function argumentsOf(text: string): object {
  const json = parseJson(text)
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {}
}

/** The limit that the client set on an answer. The newer name wins. */
export const outputLimitOf = (body: ChatBody): number | undefined =>
  body.max_completion_tokens ?? body.max_tokens ?? undefined

/** Texts that end an answer, without blank ones, which vendors refuse. */
export function stopsOf(body: ChatBody): readonly string[] | undefined {
  const stops = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? [])
  const useful = stops.filter(stop => stop.trim() !== '')
  return useful.length > 0 ? useful : undefined
}
