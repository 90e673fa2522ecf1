import { createStore, useStore } from '../ui/create-store.ts'
import { readStored, writeStored } from './local-store.ts'

const masked = createStore(readStored('masked') === 'true')

/** Whether amounts, names and keys are hidden from people looking over the shoulder. Copying still gives the real value. */
export const useMasked = (): boolean => useStore(masked)

export function toggleMask(): void {
  const next = !masked.get()
  writeStored('masked', next ? 'true' : undefined)
  masked.set(next)
}
