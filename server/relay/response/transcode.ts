import type { Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatChunk, ChatReply } from '../../provider-kit/contract/chat.ts'
import type { ClientError, ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { isSameModel } from '../../provider-kit/extra-usage.ts'
import { isChatChunk } from '../../provider-kit/reply-chunks.ts'
import { withoutPlaces } from '../../provider-kit/web-citations.ts'
import type { AnyOperationAdapter, OperationStream } from '../types.ts'
import type { RespondingChannel } from '../upstream/prepare-call.ts'
import type { ParsedEvent } from '../upstream/read-stream.ts'

/** Turns upstream events into the text of the client's stream. */
export interface StreamTranscoder {
  write(event: ParsedEvent): string
  /** Writes pieces that have no upstream event. */
  writePieces(pieces: readonly ChatChunk[]): string
  end(usage: Usage): string
  fail(error: ClientError): string
}

/** The name of the channel's mapping, and the requested one that clients see in its place. */
export interface ReplacedModel {
  readonly from: string
  readonly to: string
}

/** Within strings, quotes are escaped. */
const MODEL_FIELD = /"(model|modelVersion)"(\s*:\s*)"([^"\\]*)"/g

export const withReplacedModel = (json: string, replaced: ReplacedModel | undefined): string =>
  replaced === undefined
    ? json
    : json.replace(MODEL_FIELD, (field, name: string, colon: string, model: string) =>
        isSameModel(replaced.from, model) ? `"${name}"${colon}${JSON.stringify(replaced.to)}` : field,
      )

/** With `isPassthrough` the provider already uses the client's format, and its events are passed through. */
export function createTranscoder(
  stream: OperationStream,
  context: ResponseContext,
  { channel, adapter }: RespondingChannel,
  {
    isPassthrough,
    replaced,
  }: { readonly isPassthrough: boolean; readonly replaced?: ReplacedModel | undefined },
): StreamTranscoder {
  if (isPassthrough) return createPassthrough(stream, context, { adapter, replaced })
  const tags = channel.view.setting.thinking_to_content ? createThinkTags() : undefined
  return createWriter(stream, context, chunk => {
    const piece = replaced && chunk.type === 'start' ? { ...chunk, model: undefined } : chunk
    return tags?.(withoutPlace(piece)) ?? [piece]
  })
}

function createPassthrough(
  stream: OperationStream,
  context: ResponseContext,
  {
    adapter,
    replaced,
  }: { readonly adapter: AnyOperationAdapter; readonly replaced: ReplacedModel | undefined },
): StreamTranscoder {
  const passthrough = stream.createPassthrough(context)
  return {
    write({ event }) {
      return withReplacedModel(passthrough.pass(adapter.unwrap?.(event) ?? event), replaced)
    },
    writePieces: () => '',
    end: usage => passthrough.end(usage),
    fail: error => passthrough.fail(error),
  }
}

function createWriter(
  stream: OperationStream,
  context: ResponseContext,
  transform: (piece: ChatChunk) => readonly ChatChunk[],
): StreamTranscoder {
  const writer = stream.createWriter(context)
  const writePieces = (pieces: readonly ChatChunk[]): string => {
    let text = ''
    for (const piece of pieces.flatMap(transform)) text += writer.write(piece)
    return text
  }
  return {
    write: ({ pieces }) => writePieces(pieces.filter(isChatChunk)),
    writePieces,
    end: usage => writer.end(usage),
    fail: error => writer.fail(error),
  }
}

const OPENING = '<think>\n'
const CLOSING = '\n</think>\n'

/** Tags move the text that a citation refers to. */
const withoutPlace = (chunk: ChatChunk): ChatChunk =>
  chunk.type === 'citation' ? { ...chunk, citation: withoutPlaces(chunk.citation) } : chunk

/** Turns streamed reasoning into text between tags, for clients that cannot show reasoning. Keeps state per choice. */
export function createThinkTags(): (chunk: ChatChunk) => readonly ChatChunk[] {
  const thinkingChoices = new Set<number>()
  return chunk => {
    if (chunk.type === 'start') return [chunk]
    if (chunk.type === 'reasoning-signature') return []
    const choice = chunk.choice ?? 0
    const toText = (text: string): ChatChunk => ({ type: 'text-delta', text, choice })
    if (chunk.type === 'reasoning-delta') {
      const isFirst = !thinkingChoices.has(choice)
      thinkingChoices.add(choice)
      return [toText(isFirst ? OPENING + chunk.text : chunk.text)]
    }
    return thinkingChoices.delete(choice) ? [toText(CLOSING), chunk] : [chunk]
  }
}

/** The same for a JSON reply. */
export const withThinkTags = (reply: ChatReply): ChatReply => ({
  ...reply,
  choices: reply.choices.map(withTags),
})

const withTags = ({ reasoning, reasoningSignature: _, citations, ...choice }: ChatChoice): ChatChoice => ({
  ...choice,
  ...(citations && { citations: citations.map(withoutPlaces) }),
  ...(reasoning && { text: OPENING + reasoning + CLOSING + choice.text }),
})
