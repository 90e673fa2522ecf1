import { z } from 'zod'
import { createStore, useStore } from '../../ui/store.ts'
import { readStoredJson, writeStoredJson } from './local-store.ts'

const stored = createStore<readonly string[]>(
  z.array(z.string()).catch([]).parse(readStoredJson('dismissed')),
)

/** Whether a hint was dismissed in this browser, and a setter. */
export function useDismissed(hint: string): readonly [boolean, (isDismissed: boolean) => void] {
  const all = useStore(stored)
  const change = (isDismissed: boolean) => {
    const others = stored.get().filter(other => other !== hint)
    const next = isDismissed ? [...others, hint] : others
    writeStoredJson('dismissed', next)
    stored.set(next)
  }
  return [all.includes(hint), change]
}
