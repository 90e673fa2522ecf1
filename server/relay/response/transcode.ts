import type { Usage } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/chat.ts'
import type { AnswerContext, ClientError } from '../../provider-kit/client-dialect.ts'
import { isChunk } from '../../provider-kit/is-chunk.ts'
import type { OperationExchange, OperationStream } from '../operations/operation.ts'
import type { Answering } from '../upstream/prepare-call.ts'
import type { ReadEvent } from '../upstream/read-stream.ts'
import { createThinkTags } from './think-tags.ts'

/** What the client reads of a stream: the vendor's own bytes, or pieces written in the client's dialect. */
export interface StreamTranscoder {
  write(read: ReadEvent): string
  /** Pieces that came without an event of their own. */
  writePieces(pieces: readonly ChatChunk[]): string
  end(usage: Usage): string
  fail(error: ClientError): string
}

export function createTranscoder(
  stream: OperationStream,
  context: AnswerContext,
  { channel, exchange }: Answering,
  isPassage: boolean,
): StreamTranscoder {
  if (isPassage) return passageOf(stream, context, exchange)
  const retold = channel.view.setting.thinking_to_content ? createThinkTags() : (piece: ChatChunk) => [piece]
  return writerOf(stream, context, retold)
}

function passageOf(
  stream: OperationStream,
  context: AnswerContext,
  exchange: OperationExchange,
): StreamTranscoder {
  const passage = stream.openPassage(context)
  return {
    write: ({ event }) => passage.pass(exchange.unwrap?.(event) ?? event),
    writePieces: () => '',
    end: usage => passage.end(usage),
    fail: error => passage.fail(error),
  }
}

function writerOf(
  stream: OperationStream,
  context: AnswerContext,
  retold: (piece: ChatChunk) => readonly ChatChunk[],
): StreamTranscoder {
  const writer = stream.openWriter(context)
  const writePieces = (pieces: readonly ChatChunk[]): string => {
    let text = ''
    for (const piece of pieces.flatMap(retold)) text += writer.write(piece)
    return text
  }
  return {
    write: ({ pieces }) => writePieces(pieces.filter(isChunk)),
    writePieces,
    end: usage => writer.end(usage),
    fail: error => writer.fail(error),
  }
}
