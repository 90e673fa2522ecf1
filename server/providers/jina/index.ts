import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import {
  type ChatAdapter,
  type StreamEvent,
  type StreamReader,
  versionedUrl,
} from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  createRerankAdapter,
  openaiCompatibleEmbeddings,
} from '../../provider-kit/openai-compatible/operations.ts'
import models from './models.json'

const plain = openaiCompatibleChat({
  url: ({ channel }) =>
    versionedUrl(channel.baseUrl === OFFICIAL ? OFFICIAL_FOR_CHAT : channel.baseUrl, '/v1/chat/completions'),
  rejectsStreamOptions: true,
  rules: { rejectsDeveloperRole: true },
  drop: ['tools', 'tool_choice'],
  isRewritten: true,
})

/**
 * Streams include reasoning, in marked chunks and between tags, and end it with a finish reason of its own. Source:
 * jina.ai/deepsearch
 */
const chat: ChatAdapter = { ...plain, stream: call => readingThoughts(plain.stream?.(call)) }

/** Source: api.jina.ai/redoc */
export const provider = defineProvider({
  type: 38,
  name: 'Jina',
  baseUrl: 'https://api.jina.ai',
  keyPattern: /^jina_\w{20,}$/,
  models,
  ownedBy: 'jina',
  chat,
  rerank: createRerankAdapter(),
  embeddings: openaiCompatibleEmbeddings({ rename: { encoding_format: 'embedding_type' }, drop: ['user'] }),
})

const OFFICIAL = 'https://api.jina.ai'

/** The search models have a host of their own. */
const OFFICIAL_FOR_CHAT = 'https://deepsearch.jina.ai'

const THINK_TAG = /<\/?think>\s*/g

const readingThoughts = (reader: StreamReader<ChatChunk> | undefined): StreamReader<ChatChunk> => {
  if (!reader) throw new Error('the OpenAI-compatible adapter has no stream reader')
  return { read: event => reader.read(withThoughts(event)), end: () => reader.end() }
}

function withThoughts(event: StreamEvent): StreamEvent {
  const json = parseJson(event.data)
  if (!isObject(json)) return event
  return { ...event, data: JSON.stringify({ ...json, choices: asArray(json.choices).map(toThought) }) }
}

function toThought(choice: unknown): JsonObject {
  const { delta, finish_reason, ...rest } = asObject(choice)
  const { type, content, ...more } = asObject(delta)
  if (type !== 'think' || finish_reason === 'error') return { ...rest, delta, finish_reason }
  const reasoning_content = (asString(content) ?? '').replace(THINK_TAG, '')
  return { ...rest, delta: { ...more, reasoning_content }, finish_reason: null }
}
