import { toHandle } from '#server/core/ids.ts'
import { ownEntry } from '#server/core/json/json.ts'
import type { ChatChunk, ToolCallStart } from '#server/provider-kit/contract/chat.ts'
import type { ThoughtForm } from '#server/provider-kit/contract/operation-adapter.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '#server/provider-kit/json.ts'
import { toTextArguments } from '#server/provider-kit/rules/chat-rules.ts'
import type { ThoughtReader } from '#server/relay/types.ts'

/** What a model thought before the calls of one turn, as it demands it back with them. */
export interface TurnThought {
  /** The name of the family that can read it. */
  readonly family: string
  /** Tells the first call from others with its id, since some servers count their calls anew for each response. */
  readonly digest: string
  readonly text?: string
  readonly signature?: string
  /** The `extra_content` of calls, by their ids. */
  readonly calls?: Readonly<Record<string, JsonObject>>
}

/** Thoughts by the id of the first call of their turn. */
export type ThoughtsOfCalls = ReadonlyMap<string, TurnThought>

/** The models that can read a thought: of one maker, at one provider. */
export interface ThoughtFamily {
  readonly form: ThoughtForm
  readonly name: string
}

/** Prefixes of clouds and paths precede the name under which a maker has his models. */
const MAKER = /^(?:.*[/.])?([a-z]+)/i

/** Undefined where the model does not demand back what it thought. */
export function findThoughtFamily({
  adapter,
  provider,
  upstreamModel: model,
}: ThoughtReader): ThoughtFamily | undefined {
  const form = adapter.thoughtForm?.(model)
  const maker = MAKER.exec(model)?.[1]?.toLowerCase() ?? model
  return form && { form, name: `${form}/${provider.type}/${maker}` }
}

/** Of one response; a longer thought is not kept. */
const THOUGHT_CHARS_MAX = 131_072

/** Collects the thoughts of one response. */
export interface ThoughtCollector {
  add(chunk: ChatChunk): void
  /** Empty where there was no call, or where the thoughts are too long or no use to the model. */
  thoughts(): ThoughtsOfCalls
}

interface ThoughtDraft {
  readonly text: string[]
  readonly signatures: string[]
  readonly calls: ToolCallStart[]
  /** Of the first call. */
  readonly arguments: string[]
}

export function createThoughtCollector(family: ThoughtFamily): ThoughtCollector {
  const drafts = new Map<number, ThoughtDraft>()
  let charsLeft = THOUGHT_CHARS_MAX
  const draftOf = (choice: number): ThoughtDraft => {
    const draft = drafts.get(choice) ?? { text: [], signatures: [], calls: [], arguments: [] }
    drafts.set(choice, draft)
    return draft
  }
  return {
    add(chunk) {
      if (chunk.type === 'start' || charsLeft < 0) return
      charsLeft -= addToDraft(draftOf(chunk.choice ?? 0), chunk, family)
      if (charsLeft < 0) drafts.clear()
    },
    thoughts: () => new Map([...drafts.values()].flatMap(draft => toThought(draft, family))),
  }
}

/** Returns the characters that were added. */
function addToDraft(
  draft: ThoughtDraft,
  chunk: Exclude<ChatChunk, { type: 'start' }>,
  { form }: ThoughtFamily,
): number {
  switch (chunk.type) {
    case 'tool-call-start':
      draft.calls.push(chunk)
      return chunk.index === 0 ? push(draft.arguments, chunk.arguments) : 0
    case 'tool-arguments-delta':
      return chunk.index === 0 ? push(draft.arguments, chunk.text) : 0
    case 'reasoning-delta':
      return form === 'calls' ? 0 : push(draft.text, chunk.text)
    case 'reasoning-signature':
      return form === 'signed' ? push(draft.signatures, chunk.signature) : 0
    default:
      return 0
  }
}

function push(list: string[], text: string): number {
  list.push(text)
  return text.length
}

function toThought(
  { text: parts, signatures, calls, arguments: args }: ThoughtDraft,
  { form, name: family }: ThoughtFamily,
): readonly (readonly [string, TurnThought])[] {
  const first = calls.find(({ index }) => index === 0)
  if (!first) return []
  const own = { family, digest: digestOf(first.name, args.join('')) }
  const text = parts.join('')
  if (form === 'text') return text === '' ? [] : [[first.id, { ...own, text }]]
  if (form === 'signed') {
    const [signature, ...others] = signatures
    // Several signatures belong to several thoughts, whose texts nobody can tell apart.
    return signature && others.length === 0 ? [[first.id, { ...own, text, signature }]] : []
  }
  const data = calls.flatMap(({ id, extraContent }) => (extraContent ? [[id, extraContent] as const] : []))
  return data.length > 0 ? [[first.id, { ...own, calls: Object.fromEntries(data) }]] : []
}

/** Clients write arguments anew, with other spaces. */
function digestOf(name: string, args: string): string {
  const json = parseJson(args || '{}')
  return toHandle(`${name}\n${json === undefined ? args : JSON.stringify(json)}`)
}

/** The first calls of the turns whose thoughts the client did not send back in one of these forms. */
export const callsWithoutThoughts = (
  { messages }: JsonObject,
  forms: ReadonlySet<ThoughtForm>,
): readonly string[] =>
  asArray(messages)
    .map(asObject)
    .flatMap(message => {
      const id = asString(firstCall(message)?.id)
      return id !== undefined && [...forms].some(form => lacks(message, form)) ? [id] : []
    })

const firstCall = ({ role, tool_calls: calls }: JsonObject): JsonObject | undefined => {
  const [first] = role === 'assistant' ? asArray(calls) : []
  return isObject(first) ? first : undefined
}

function lacks(message: JsonObject, form: ThoughtForm): boolean {
  if (form === 'text') return !message.reasoning_content && !message.reasoning
  if (form === 'signed') return !message.reasoning_signature
  return !firstCall(message)?.extra_content
}

/** The body with those thoughts of the family that its client did not send back. The same body where there are none. */
export function withThoughts(body: JsonObject, thoughts: ThoughtsOfCalls, family: string): JsonObject {
  const before = asArray(body.messages)
  const messages = before.map(message =>
    isObject(message) ? withOwnThought(message, thoughts, family) : message,
  )
  return messages.every((message, at) => message === before[at]) ? body : { ...body, messages }
}

function withOwnThought(message: JsonObject, thoughts: ThoughtsOfCalls, family: string): JsonObject {
  const call = firstCall(message)
  const thought = call && thoughts.get(asString(call.id) ?? '')
  return call && thought?.family === family && thought.digest === digestOfCall(call)
    ? withThought(message, thought)
    : message
}

/** A custom tool of OpenAI's is a function with one string elsewhere, and so are its calls. */
function digestOfCall({ function: inner, custom }: JsonObject): string {
  const { name, arguments: args, input } = asObject(inner ?? custom)
  return digestOf(
    asString(name) ?? '',
    inner ? (asString(args) ?? '') : toTextArguments(asString(input) ?? ''),
  )
}

function withThought(message: JsonObject, { text, signature, calls }: TurnThought): JsonObject {
  if (calls)
    return {
      ...message,
      tool_calls: asArray(message.tool_calls).map(call => withData(asObject(call), calls)),
    }
  if (signature === undefined)
    return message.reasoning_content || message.reasoning ? message : { ...message, reasoning_content: text }
  // A signature is for its own text only.
  return message.reasoning_signature
    ? message
    : { ...message, reasoning_content: text, reasoning_signature: signature }
}

function withData(call: JsonObject, data: Readonly<Record<string, JsonObject>>): JsonObject {
  const own = call.extra_content ?? ownEntry(data, asString(call.id) ?? '')
  return own === undefined ? call : { ...call, extra_content: own }
}

/** Reads a thought that was kept as JSON. */
export function readThought(json: unknown): TurnThought {
  const { family, digest, text, signature, calls } = asObject(json)
  const data = Object.entries(asObject(calls)).map(([id, extra]) => [id, asObject(extra)] as const)
  return {
    family: asString(family) ?? '',
    digest: asString(digest) ?? '',
    ...(typeof text === 'string' && { text }),
    ...(typeof signature === 'string' && { signature }),
    ...(data.length > 0 && { calls: Object.fromEntries(data) }),
  }
}
