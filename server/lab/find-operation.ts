import { listModels as anthropicModels, messages } from './anthropic/messages.ts'
import { batchEmbed, embed, listModels as geminiModels, generate } from './gemini/generate.ts'
import { drawing } from './midjourney/drawing.ts'
import { speech, transcriptions, voices } from './openai/audio.ts'
import { chat } from './openai/chat.ts'
import { compaction } from './openai/compaction.ts'
import { completions } from './openai/completions.ts'
import { embeddings, moderations } from './openai/embeddings.ts'
import { images, imageVariations } from './openai/images.ts'
import { account } from './openai/provider.ts'
import { responses } from './openai/responses.ts'
import { storedResponses } from './openai/stored-responses.ts'
import type { LabOperation, OperationTarget } from './operation.ts'
import { music } from './suno/music.ts'

const OPERATIONS: readonly LabOperation[] = [
  chat,
  messages,
  generate,
  responses,
  compaction,
  ...storedResponses,
  embeddings,
  completions,
  images,
  imageVariations,
  speech,
  transcriptions,
  voices,
  moderations,
  embed,
  batchEmbed,
  anthropicModels,
  ...account,
  geminiModels,
  ...drawing,
  ...music,
]

export interface FoundOperation {
  readonly operation: LabOperation
  readonly target: OperationTarget
}

/** Returns the first operation whose method, path and headers match the request. */
export function findOperation(request: Request, url: URL): FoundOperation | undefined {
  for (const operation of OPERATIONS) {
    if (operation.method !== request.method) continue
    const match = operation.path.exec(url.pathname)
    if (!match || operation.isFor?.(request) === false) continue
    const target = {
      model: decodeSegment(match[1] ?? ''),
      isStream: operation.wantsStream?.(url) ?? false,
      account: '',
      baseUrl: url.origin + url.pathname.slice(0, match.index),
    }
    return { operation, target }
  }
  return undefined
}

/** Decodes a path segment. A segment with an invalid percent-encoding is returned unchanged. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
