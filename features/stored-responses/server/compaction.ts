import type { ChatReply } from '#server/provider-kit/contract/chat.ts'
import type { NativeAdapter } from '#server/provider-kit/contract/operation-adapter.ts'
import { chat } from '#server/relay/operations/chat.ts'
import type { ModelOperation } from '#server/relay/types.ts'

const adapters = new WeakMap<NativeAdapter, NativeAdapter>()

/** The adapter of responses, one path further. */
function toCompactingAdapter(native: NativeAdapter): NativeAdapter {
  const known = adapters.get(native)
  if (known) return known
  const adapter: NativeAdapter = {
    ...native,
    request(call) {
      const request = native.request(call)
      const url = new URL(request.url)
      url.pathname += '/compact'
      return { ...request, url: url.href }
    },
  }
  adapters.set(native, adapter)
  return adapter
}

/** Compacts a conversation: by the provider where it can, else by a summary of the same model. */
export const compaction: ModelOperation = {
  ...chat,
  findDialect: ({ compaction: dialect }) =>
    dialect && {
      parse: dialect.parse,
      writeReply: (reply: ChatReply, usage, { context }) => dialect.writeReply(reply, usage, context),
    },
  findNativeAdapter(provider, client) {
    const native = provider.native?.[client]
    return native && toCompactingAdapter(native)
  },
  // A provider's compaction is encrypted.
  hasOutput: () => true,
}
