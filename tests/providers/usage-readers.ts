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
  openaiCompatibleSpeech,
  readImages,
  readSpokenUsage,
} from '#server/provider-kit/openai-compatible/media.ts'
import {
  createRerankAdapter,
  openaiCompatibleEmbeddings,
} from '#server/provider-kit/openai-compatible/operations.ts'
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

function readSpeech(usage: JsonObject): unknown {
  const reader = openaiCompatibleSpeech().stream?.(CALL)
  return reader && usageOfStream(reader, { type: 'speech.audio.done', usage })
}

/** What the events of a talk cost, each with a usage. */
export function readTalk(
  event: 'response.done' | 'transcription',
  ...usages: readonly JsonObject[]
): unknown {
  const meter = createRealtimeMeter(usage => ({ usage }))
  const session = { audio: { input: { transcription: { model: 'whisper-1' } } } }
  meter.fromUpstream(JSON.stringify({ type: 'session.updated', session }))
  for (const usage of usages)
    meter.fromUpstream(
      JSON.stringify(
        event === 'response.done'
          ? { type: event, response: { usage } }
          : { type: 'conversation.item.input_audio_transcription.completed', usage },
      ),
    )
  return meter.usage()
}

function readToolUsage(usage: JsonObject): unknown {
  const counter = createToolCounter()
  counter.add({ type: 'image_generation_call', status: 'completed' })
  return counter.extras({ tool_usage: usage })
}

const RERANK_BODY = { model: 'lab', query: 'hi', documents: ['hi'] }

const spoken = [
  (usage: JsonObject) => readSpokenUsage({ usage }),
  (usage: JsonObject) => readTalk('transcription', usage),
]

/** All ways in which a usage of a type comes: in whole responses, in streams, and in the places of compatible servers. */
export const USAGE_READERS: Readonly<Record<keyof UsageTypes | 'speech' | 'rerank', readonly UsageReader[]>> =
  {
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
    realtime: [usage => readTalk('response.done', usage)],
    embeddings: [
      usage =>
        usageOf(
          openaiCompatibleEmbeddings().reply(
            { data: [], usage },
            { ...CALL, body: { model: 'lab', input: 'hi' } },
          ),
        ),
    ],
    rerank: [
      response =>
        usageOf(createRerankAdapter().reply({ results: [], ...response }, { ...CALL, body: RERANK_BODY })),
    ],
    speech: [readSpeech],
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

const usageOfReply = (result: AdapterResult<unknown>): unknown => usageOf(result) ?? ''
const CHAT_REPLY = { prompt_tokens: 5, completion_tokens: 5 }
const RESPONSES_REPLY = { input_tokens: 5, output_tokens: 5 }
const GEMINI_REPLY = { promptTokenCount: 5, candidatesTokenCount: 5 }

/** What responses of a format tell outside of their usage, each with the figure that it is charged by. */
export const FIGURES_ELSEWHERE: readonly (readonly [
  title: string,
  read: UsageReader,
  response: JsonObject,
  figure: string,
])[] = [
  [
    'the tier of chat',
    json => readChatUsage({ usage: CHAT_REPLY, ...json }),
    { service_tier: 'flex' },
    '"flex"',
  ],
  [
    'the tier of a stream of chat',
    json => usageOfStream(chatStream(), { choices: [], usage: CHAT_REPLY, ...json }),
    { service_tier: 'flex' },
    '"flex"',
  ],
  [
    'the tier of Responses',
    json =>
      usageOfReply(
        readResponsesReply({ status: 'completed', output: [], usage: RESPONSES_REPLY, ...json }, CALL),
      ),
    { service_tier: 'priority' },
    '"priority"',
  ],
  [
    'the tier of a stream of Responses',
    json =>
      usageOfStream(createResponsesStreamReader(CALL), {
        type: 'response.completed',
        response: { usage: RESPONSES_REPLY, ...json },
      }),
    { service_tier: 'priority' },
    '"priority"',
  ],
  [
    'the tier of Interactions',
    json =>
      usageOfReply(
        readInteraction({ id: 'int_1', status: 'completed', usage: { total_input_tokens: 5 }, ...json }),
      ),
    { service_tier: 'flex' },
    '"flex"',
  ],
  [
    'a search of Gemini',
    json =>
      usageOfReply(
        readGeminiReply(
          { ...toGemini(GEMINI_REPLY), candidates: [{ content: { parts: [{ text: 'yes' }] }, ...json }] },
          CALL,
        ),
      ),
    { groundingMetadata: { webSearchQueries: ['a', ''], groundingChunks: [{ maps: {} }] } },
    '"webSearches":1,"toolCalls":{"maps":1}',
  ],
  [
    'the seconds of a transcription without a usage',
    json => readSpokenUsage(json) ?? '',
    { duration: 61 },
    '"seconds":61',
  ],
]
