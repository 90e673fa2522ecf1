import type { FixedReply } from './fixed-upstream.ts'

const MESSAGE = { role: 'assistant', content: 'It is sunny.' }
const CHAT = {
  id: 'chatcmpl-fixed',
  object: 'chat.completion',
  created: 1_751_300_000,
  model: 'fixed',
  choices: [{ index: 0, message: MESSAGE, finish_reason: 'stop' }],
}
const TOKENS = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 }

/** Responses that the lab does not give, by the first segment of the channel's address. */
export const REPLIES: Readonly<Record<string, FixedReply>> = {
  tier: { body: { ...CHAT, service_tier: 'priority', usage: TOKENS } },
  regional: {
    body: {
      ...CHAT,
      usage: {
        ...TOKENS,
        prompt_tokens_details: { cached_tokens: 400 },
        completion_tokens_details: { reasoning_tokens: 60 },
      },
    },
  },
  bought: { body: { ...CHAT, usage: TOKENS } },
  searching: {
    body: {
      id: 'resp_fixed',
      object: 'response',
      created_at: 1_751_300_000,
      status: 'completed',
      model: 'fixed',
      output: [
        {
          id: 'ws_1',
          type: 'web_search_call',
          status: 'completed',
          action: { type: 'search', query: 'sun' },
        },
        { id: 'fs_1', type: 'file_search_call', status: 'completed', queries: ['sun'] },
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'It is sunny.', annotations: [] }],
        },
      ],
      usage: { input_tokens: 900, output_tokens: 40, total_tokens: 940 },
    },
  },
  caching: {
    body: {
      model: 'fixed',
      id: 'msg_fixed',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'It is sunny.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 2_048,
        cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
        output_tokens: 5,
        server_tool_use: { web_search_requests: 2 },
        service_tier: 'standard',
        inference_geo: 'us',
      },
    },
  },
  grounding: {
    body: {
      candidates: [
        {
          content: { parts: [{ text: 'It is sunny.' }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
          groundingMetadata: {
            webSearchQueries: ['weather', 'sun'],
            groundingChunks: [{ web: { uri: 'https://sun.example/', title: 'sun.example' } }],
          },
        },
      ],
      usageMetadata: {
        promptTokenCount: 11,
        candidatesTokenCount: 13,
        thoughtsTokenCount: 20,
        totalTokenCount: 44,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 11 }],
      },
      modelVersion: 'fixed',
      responseId: 'fixed',
    },
  },
  rerank: {
    body: {
      model: 'fixed',
      usage: { total_tokens: 52 },
      results: [
        { index: 1, document: { text: 'Lisbon' }, relevance_score: 0.93 },
        { index: 0, document: { text: 'Porto' }, relevance_score: 0.11 },
      ],
    },
  },
  cohere: {
    body: {
      id: 'fixed',
      results: [
        { index: 1, relevance_score: 0.93 },
        { index: 0, relevance_score: 0.11 },
      ],
      meta: { billed_units: { search_units: 1 } },
    },
  },
}

const REALTIME_USAGE = {
  input_tokens: 130,
  output_tokens: 60,
  total_tokens: 190,
  input_token_details: { text_tokens: 30, audio_tokens: 100, cached_tokens: 0 },
  output_token_details: { text_tokens: 20, audio_tokens: 40 },
}

/** A realtime provider responds to each request for a response, and to nothing else. */
export function reactToFrame(frame: string): readonly object[] {
  const { type } = JSON.parse(frame)
  if (type !== 'response.create') return []
  return [
    { type: 'response.output_text.delta', delta: 'Hello!' },
    { type: 'response.done', response: { id: 'resp_1', status: 'completed', usage: REALTIME_USAGE } },
  ]
}
