import { isObject, type JsonObject } from '../json.ts'

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
  readonly caller: { readonly userId: number; readonly token?: { readonly id: number } | undefined }
  readonly model: string
  readonly headers: Headers
  /** The body as the client sent it, since no dialect keeps all marks. */
  readonly json: JsonObject
}

/**
 * Identifies the client's session, by the narrowest mark that it sends in any dialect, else by how its conversation begins.
 * Undefined when it has neither. Has the same length for any input.
 */
export function readSession({ caller, model, headers, json }: MarkedRequest): string | undefined {
  const mark = readHeader(headers) ?? readField(json) ?? readBeginning(json)
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

/** Instructions may precede the first message of the user. */
const ENTRIES_MAX = 8
const PARTS_MAX = 8
const EDGE_CHARS = 128

/**
 * The first message of the user, which all turns of a conversation repeat. Only of requests with tools, as agents send
 * them: others are often single, and equal ones must not all reach the same account. Reads a bounded part of long texts.
 */
function readBeginning({ tools, messages, input, contents }: JsonObject): string | undefined {
  if (!Array.isArray(tools) || tools.length === 0) return undefined
  const entries = messages ?? input ?? contents
  if (!Array.isArray(entries)) return undefined
  const first = entries.slice(0, ENTRIES_MAX).find(isFromUser)
  const text = first && readEdges(first.content ?? first.parts)
  return text ? `begins ${text}` : undefined
}

/** Gemini's entries without a role are the user's. */
const isFromUser = (entry: unknown): entry is JsonObject =>
  isObject(entry) && (entry.role === 'user' || (entry.role === undefined && entry.parts !== undefined))

/** Of the last part with text, which the user wrote: agents put facts before it that change when they resume. */
function readEdges(content: unknown): string {
  const parts = Array.isArray(content) ? content.slice(-PARTS_MAX) : [content]
  const text = parts.map(part => (isObject(part) ? part.text : part)).findLast(isText)
  return text ? `${text.length} ${text.slice(0, EDGE_CHARS)} ${text.slice(-EDGE_CHARS)}` : ''
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
