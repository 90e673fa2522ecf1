import { createStore, useStore } from '../../ui/store.ts'

interface PendingQuestion<Reply> {
  readonly reply: Promise<Reply>
  readonly respond: (reply: Reply) => void
}

/** A dialog that several calls may wait for: whatever asks while it is open shares its reply. */
export function createQuestion<Reply>(declined: Reply) {
  const pending = createStore<PendingQuestion<Reply> | undefined>(undefined)
  return {
    usePending: () => useStore(pending),
    isOpen: () => pending.get() !== undefined,
    cancel: () => pending.get()?.respond(declined),
    ask(): Promise<Reply> {
      const open = pending.get()
      if (open) return open.reply
      const { promise: reply, resolve } = Promise.withResolvers<Reply>()
      const respond = (value: Reply) => {
        pending.set(undefined)
        resolve(value)
      }
      pending.set({ reply, respond })
      return reply
    },
  }
}
