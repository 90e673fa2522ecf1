import { isObject, type JsonObject } from '../../provider-kit/json.ts'
import type { Caller } from '../types.ts'

/** Headers in which agents name their session: Claude Code; Codex, now and before; opencode; others. */
const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-session-affinity',
  'x-opencode-session',
  'x-session-id',
] as const

interface MarkedRequest {
  readonly caller: Caller
  readonly model: string
  readonly headers: Headers
  /** The body as the client sent it, since no dialect keeps all marks. */
  readonly json: JsonObject
}

/**
 * Identifies the client's session, by the narrowest mark that it sends in any dialect. Undefined when it sends none. Has
 * the same length whatever the client sends.
 */
export function readSession({ caller, model, headers, json }: MarkedRequest): string | undefined {
  const mark = readHeader(headers) ?? readField(json)
  if (mark === undefined) return undefined
  const hash = Bun.hash.wyhash(JSON.stringify([model, mark])).toString(36)
  return `${caller.userId}.${caller.token?.id ?? ''}.${hash}`
}

function readHeader(headers: Headers): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers.get(name)
    if (value) return value
  }
  return undefined
}

/** `user` and `safety_identifier` name a person, who may have several sessions, and so come last. */
function readField(json: JsonObject): string | undefined {
  const { prompt_cache_key, conversation, metadata, safety_identifier, user } = json
  const conversationId = isObject(conversation) ? conversation.id : conversation
  const userId = isObject(metadata) ? metadata.user_id : undefined
  for (const mark of [prompt_cache_key, conversationId, userId, safety_identifier, user])
    if (typeof mark === 'string' && mark !== '') return mark
  return undefined
}
