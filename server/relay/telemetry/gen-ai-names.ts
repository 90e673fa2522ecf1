import type { Provider } from '../../provider-kit/provider.ts'
import type { TaskPlatformName } from '../../provider-kit/task.ts'
import type { OperationName } from '../operations/operation.ts'

/** An operation, or what is done with tasks: to submit one, and to ask how it is going. */
export type SeenOperation = OperationName | TaskOperation
type TaskOperation = 'drawing' | 'drawing fetch' | 'music' | 'music fetch'

/** Well-known where the conventions have a name, our own elsewhere. Source: opentelemetry.io/docs/specs/semconv/gen-ai */
const OPERATIONS: Readonly<Record<SeenOperation, string>> = {
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
  drawing: 'drawing',
  'drawing fetch': 'drawing_fetch',
  music: 'music',
  'music fetch': 'music_fetch',
}

const TASK_OPERATIONS: Readonly<Record<TaskPlatformName, 'drawing' | 'music'>> = {
  mj: 'drawing',
  suno: 'music',
}

export const submissionOf = (platform: TaskPlatformName): SeenOperation => TASK_OPERATIONS[platform]
export const fetchOf = (platform: TaskPlatformName): SeenOperation => `${TASK_OPERATIONS[platform]} fetch`

export const genAiOperation = (name: SeenOperation): string => OPERATIONS[name]

/** The `gen_ai.provider.name` of a vendor. */
export const genAiProvider = ({ genAiName, name }: Provider): string =>
  genAiName ?? name.toLowerCase().replaceAll(' ', '_')
