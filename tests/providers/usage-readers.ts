import { createAnthropicStreamReader, readReply } from '#server/provider-kit/anthropic-messages/response.ts'
import type { AdapterResult, StreamReader } from '#server/provider-kit/contract/operation-adapter.ts'
import { readAuthors } from '#server/provider-kit/extra-usage.ts'
import {
  createGeminiStreamReader,
  readReply as readGeminiReply,
} from '#server/provider-kit/gemini-generate/response.ts'
import { InteractionReader, readInteraction } from '#server/provider-kit/gemini-interactions/response.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'
import {
  createChatStreamReader,
  readResponseUsage,
  withChatExtras,
} from '#server/provider-kit/openai-compatible/chat-response.ts'
import {
  openaiCompatibleImages,
  readImages,
  readSpokenUsage,
} from '#server/provider-kit/openai-compatible/media.ts'
import { createRealtimeMeter } from '#server/provider-kit/openai-realtime/realtime.ts'
import {
  createResponsesStreamReader,
  readReply as readResponsesReply,
} from '#server/provider-kit/openai-responses/response.ts'
import { createToolCounter } from '#server/provider-kit/openai-responses/tool-counter.ts'
import type { UsageTypes } from './usage-types.ts'

/** What is charged for a usage. */
export type UsageReader = (usage: JsonObject) => unknown

const CALL = {
  channel: { id: 1, baseUrl: 'https://lab.test', key: 'lab', other: '', organization: '', setting: {} },
  ...{ model: 'lab', isStream: true, requestId: 'request-1', nowSeconds: 0 },
}
const readChatUsage = (json: JsonObject) => withChatExtras(readResponseUsage(json), json)

/** The usage of a reply, without the reply, which may repeat it. */
const usageOf = (result: AdapterResult<unknown>): unknown =>
  result.kind === 'reply' ? result.usage : undefined

function usageOfStream(reader: StreamReader<unknown>, ...events: readonly JsonObject[]): unknown {
  for (const event of events) reader.read({ data: JSON.stringify(event), raw: '' })
  return reader.end().usage
}

const chatStream = () =>
  createChatStreamReader({ readUsage: readChatUsage, readFailure: () => undefined }, CALL.requestId)

function readImageStream(usage: JsonObject): unknown {
  const reader = openaiCompatibleImages().stream?.(CALL)
  return reader && usageOfStream(reader, { type: 'image_generation.completed', usage })
}

function readTalk(usage: JsonObject, event: 'response.done' | 'transcription'): unknown {
  const meter = createRealtimeMeter(usage => ({ usage }))
  if (event === 'response.done') meter.fromUpstream(JSON.stringify({ type: event, response: { usage } }))
  else {
    const session = { audio: { input: { transcription: { model: 'whisper-1' } } } }
    meter.fromUpstream(JSON.stringify({ type: 'session.updated', session }))
    const type = 'conversation.item.input_audio_transcription.completed'
    meter.fromUpstream(JSON.stringify({ type, usage }))
  }
  return meter.usage()
}

function readToolUsage(usage: JsonObject): unknown {
  const counter = createToolCounter()
  counter.add({ type: 'image_generation_call', status: 'completed' })
  return counter.extras({ tool_usage: usage })
}

const spoken = [
  (usage: JsonObject) => readSpokenUsage({ usage }),
  (usage: JsonObject) => readTalk(usage, 'transcription'),
]

/** All ways in which a usage of a type comes: in whole responses, in streams, and in the places of compatible servers. */
export const USAGE_READERS: Readonly<Record<keyof UsageTypes, readonly UsageReader[]>> = {
  chat: [
    usage => readChatUsage({ usage }),
    usage => readChatUsage({ choices: [{ usage }] }),
    usage => readChatUsage({ x_groq: { usage } }),
    usage => usageOfStream(chatStream(), { choices: [], usage }),
  ],
  responses: [
    usage => usageOf(readResponsesReply({ status: 'completed', output: [], usage }, CALL)),
    usage =>
      usageOfStream(createResponsesStreamReader(CALL), { type: 'response.completed', response: { usage } }),
  ],
  realtime: [usage => readTalk(usage, 'response.done')],
  images: [usage => usageOf(readImages({ data: [{ b64_json: 'aGk=' }], usage })), readImageStream],
  svg: [usage => readAuthors({ svg_usage: usage })],
  tools: [readToolUsage],
  transcription: spoken,
  transcriptionBySecond: spoken,
  transcriptionStream: spoken,
  messages: [
    usage => usageOf(readReply({ content: [], usage })),
    usage => usageOfStream(createAnthropicStreamReader(), { type: 'message_start', message: { usage } }),
    usage => usageOfStream(createAnthropicStreamReader(), { type: 'message_delta', delta: {}, usage }),
  ],
  interactions: [
    usage => usageOf(readInteraction({ id: 'int_1', status: 'completed', steps: [], usage })),
    usage =>
      usageOfStream(new InteractionReader(), {
        event_type: 'interaction.completed',
        interaction: { status: 'completed', usage },
      }),
    usage => usageOfStream(new InteractionReader(), { event_type: 'step.stop', usage }),
    usage =>
      usageOfStream(new InteractionReader(), { event_type: 'step.stop', metadata: { total_usage: usage } }),
  ],
  gemini: [
    usage => usageOf(readGeminiReply(toGemini(usage), CALL)),
    usage => usageOfStream(createGeminiStreamReader(CALL), toGemini(usage)),
  ],
}

const toGemini = (usageMetadata: JsonObject): JsonObject => ({
  candidates: [{ content: { parts: [{ text: 'yes' }] }, finishReason: 'STOP' }],
  usageMetadata,
})
