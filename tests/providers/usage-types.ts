import type { BetaUsage } from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type { GenerateContentResponseUsageMetadata, Interactions } from '@google/genai'
import type { Transcription, TranscriptionTextDoneEvent } from 'openai/resources/audio/transcriptions'
import type { CompletionUsage } from 'openai/resources/completions'
import type { CreateEmbeddingResponse } from 'openai/resources/embeddings'
import type { ImagesResponse } from 'openai/resources/images'
import type { RealtimeResponseUsage } from 'openai/resources/realtime/realtime'
import type { Response, ResponseUsage } from 'openai/resources/responses/responses'

/** What providers' own SDKs say that usage consists of. */
export interface UsageTypes {
  readonly chat: CompletionUsage
  readonly responses: ResponseUsage
  readonly realtime: RealtimeResponseUsage
  readonly embeddings: CreateEmbeddingResponse.Usage
  readonly images: ImagesResponse.Usage
  readonly svg: ImagesResponse.SvgUsage
  readonly tools: Response.ToolUsage
  readonly transcription: Transcription.Tokens
  readonly transcriptionBySecond: Transcription.Duration
  readonly transcriptionStream: TranscriptionTextDoneEvent.Usage
  readonly messages: BetaUsage
  readonly interactions: Interactions.Usage
  readonly gemini: Omit<GenerateContentResponseUsageMetadata, never>
}
