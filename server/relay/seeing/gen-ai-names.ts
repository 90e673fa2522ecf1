import type { Provider } from '../../provider-kit/provider.ts'
import type { OperationName } from '../operations/operation.ts'

/** Well-known where the conventions have a name, our own elsewhere. Source: opentelemetry.io/docs/specs/semconv/gen-ai */
const OPERATIONS: Readonly<Record<OperationName, string>> = {
  chat: 'chat',
  completions: 'text_completion',
  'token-count': 'token_count',
  embeddings: 'embeddings',
  images: 'image_generation',
  'image edits': 'image_edit',
  speech: 'speech',
  transcription: 'transcription',
  translation: 'translation',
  rerank: 'rerank',
  moderation: 'moderation',
  realtime: 'realtime',
}

export const genAiOperation = (name: OperationName): string => OPERATIONS[name]

/** The `gen_ai.provider.name` of a vendor. */
export const genAiProvider = ({ genAiName, name }: Provider): string =>
  genAiName ?? name.toLowerCase().replaceAll(' ', '_')
