import { expect, test } from 'bun:test'
import { createReserve } from './state-owner.ts'

test('takes memory for what stored texts are parsed into, beside the texts', () => {
  const taken: (readonly [bytes: number, sender: string])[] = []
  const connection = { takeMemory: (bytes: number, sender: string) => void taken.push([bytes, sender]) }
  const caller = { userId: 7, username: 'u', role: 1, group: 'default', walletUnits: 1 }
  const reserve = createReserve({
    caller: { ...caller, token: undefined, pinnedChannelId: undefined },
    connection,
  })
  reserve(1_000)
  reserve(33)
  expect(taken.map(([bytes]) => bytes)).toEqual([1_500, 50])
  expect(new Set(taken.map(([, sender]) => sender)).size).toBe(1)
})
