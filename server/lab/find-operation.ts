import { listModels as anthropicModels } from './anthropic/list-models.ts'
import { messages } from './anthropic/messages.ts'
import { decodeSegment } from './decode-segment.ts'
import { batchEmbed, embed } from './gemini/embed.ts'
import { generate } from './gemini/generate.ts'
import { listModels as geminiModels } from './gemini/list-models.ts'
import { drawing } from './midjourney/drawing.ts'
import { account } from './openai/account.ts'
import { speech, transcriptions } from './openai/audio.ts'
import { chat } from './openai/chat.ts'
import { completions } from './openai/completions.ts'
import { embeddings } from './openai/embeddings.ts'
import { images } from './openai/images.ts'
import { moderations } from './openai/moderations.ts'
import { responses } from './openai/responses.ts'
import type { Operation, Target } from './operation.ts'
import { music } from './suno/music.ts'

const OPERATIONS: readonly Operation[] = [
  chat,
  messages,
  generate,
  responses,
  embeddings,
  completions,
  images,
  speech,
  transcriptions,
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
  readonly operation: Operation
  readonly target: Target
}

/** The call that a request makes: the first whose path, method and header fit. */
export function findOperation(request: Request, url: URL): FoundOperation | undefined {
  for (const operation of OPERATIONS) {
    if (operation.method !== request.method) continue
    const match = operation.path.exec(url.pathname)
    if (!match || operation.isFor?.(request) === false) continue
    const target = {
      model: decodeSegment(match[1] ?? ''),
      isStream: operation.asksForStream?.(url) ?? false,
      address: url.origin + url.pathname.slice(0, match.index),
    }
    return { operation, target }
  }
  return undefined
}
