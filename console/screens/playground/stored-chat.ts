import { z } from 'zod'
import { readStoredJson, writeStored, writeStoredJson } from '../../app/preferences/local-store.ts'
import { isUnderWay, Turn } from './turn.ts'

const TURNS_MAX = 60
const CHARACTERS_MAX = 400_000

const Stored = z.object({ userId: z.number(), turns: z.array(Turn) })

/** The last conversation of this user in this browser. */
export function storedChat(userId: number): readonly Turn[] {
  const stored = Stored.safeParse(readStoredJson('playground-chat')).data
  return stored?.userId === userId ? stored.turns : []
}

/** Keeps the newest turns, as many as there is room for. An answer under way counts as it stands. */
export function keepChat(userId: number, turns: readonly Turn[]): void {
  if (turns.length === 0) writeStored('playground-chat', undefined)
  else writeStoredJson('playground-chat', { userId, turns: newest(turns).map(settled) })
}

const settled = (turn: Turn): Turn => (isUnderWay(turn) ? { ...turn, state: 'complete' } : turn)

function newest(turns: readonly Turn[]): readonly Turn[] {
  let room = CHARACTERS_MAX
  const kept = turns
    .slice(-TURNS_MAX)
    .toReversed()
    .filter(({ content, reasoning }) => {
      room -= content.length + reasoning.length
      return room >= 0
    })
  return kept.toReversed()
}
