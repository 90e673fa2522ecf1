import type { ChatReply, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ChatDialect, JsonDialect, ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import type { OperationDialect, ParsedRequest } from '../types.ts'

/** The part of a client dialect for an operation that is never streamed. */
export const jsonDialect = <Body extends JsonObject, Reply>(
  dialect: JsonDialect<Body, Reply> | undefined,
): OperationDialect | undefined =>
  dialect && {
    parse: dialect.parse,
    writeReply: (reply: Reply, usage, request: ParsedRequest & ParsedBody<Body>) =>
      dialect.writeReply(reply, usage, request),
  }

const cache = new WeakMap<object, OperationDialect>()

/** The part of a client dialect for an operation that may be streamed. Created once for each dialect. */
export function chatDialect<Body extends JsonObject>(
  dialect: ChatDialect<Body> | undefined,
): OperationDialect | undefined {
  const cached = dialect && cache.get(dialect)
  if (cached || !dialect) return cached
  const created: OperationDialect = {
    parse: dialect.parse,
    writeReply: (reply: ChatReply, usage, { context }) => dialect.writeReply(reply, usage, context),
    stream: {
      contentType: dialect.streamType,
      createWriter: dialect.createWriter,
      createPassthrough: dialect.createPassthrough,
    },
  }
  cache.set(dialect, created)
  return created
}
