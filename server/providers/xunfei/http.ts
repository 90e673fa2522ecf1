import type { ChatBody, ChatChunk, JsonObject } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  ChannelView,
  ChatAdapter,
  StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { resolveSparkVersion } from './endpoint.ts'
import { readSparkError } from './failure.ts'

const HTTP_BASE = 'https://spark-api-open.xf-yun.com'
/** The reasoning models have an API version of their own. */
const NEWEST = /^x1/i
const PART_OF_A_FAMILY = /^SparkDesk/

/** Whether a channel uses HTTP: by its base URL, or because its key cannot sign for the WebSocket. */
export const usesHttp = ({ key, baseUrl }: ChannelView): boolean =>
  !key.includes('|') || /^https?:/.test(baseUrl)

/** Source: xfyun.cn/doc/spark/HTTP调用文档.html */
const plain = openaiCompatibleChat({
  url: toUrl,
  headers: toHeaders,
  rejectsDeveloperRole: true,
  rejectsStreamOptions: true,
  rename: { max_completion_tokens: 'max_tokens' },
  adjust: toHttpBody,
  readFailure: readSparkError,
  isRewritten: true,
})

/** Like OpenAI's, except that streams never have a finish reason. */
export const httpChat: ChatAdapter = { ...plain, stream: call => endingWell(plain.stream?.(call)) }

function toUrl({ channel, model }: AdapterCall<ChatBody>): string {
  const base = /^https?:/.test(channel.baseUrl) ? channel.baseUrl : HTTP_BASE
  return `${base}/${NEWEST.test(model) ? 'v2' : 'v1'}/chat/completions`
}

/** The API password, or the two parts that replace it. */
function toHeaders({ channel }: AdapterCall<ChatBody>): Record<string, string> {
  const [only, secret, key] = channel.key.split('|')
  const password = secret && key ? `${key}:${secret}` : only
  return { authorization: `Bearer ${password}`, 'content-type': 'application/json' }
}

/** The models are called by their domain. */
function toHttpBody(body: JsonObject, { channel, model }: AdapterCall<unknown>): JsonObject {
  return PART_OF_A_FAMILY.test(model)
    ? { ...body, model: resolveSparkVersion(model, channel.other).domain }
    : body
}

function endingWell(reader: StreamReader<ChatChunk> | undefined): StreamReader<ChatChunk> {
  if (!reader) throw new Error('the OpenAI-compatible adapter has no stream reader')
  let isFinished = false
  return {
    read(event) {
      const pieces = reader.read(event)
      isFinished ||= pieces.some(({ type }) => type === 'finish')
      return pieces
    },
    end() {
      const end = reader.end()
      const isMissing = end.isComplete && !isFinished
      return { ...end, chunks: [...end.chunks, ...(isMissing ? [STOP] : [])] }
    },
  }
}

const STOP: ChatChunk = { type: 'finish', reason: 'stop' }
