import { expect, test } from 'bun:test'
import { sleepMs } from './clock.ts'
import { setDeadline } from './deadlines.ts'

test('deadlines pass once each, in the order in which they were set', async () => {
  const passed: string[] = []
  setDeadline(20, () => passed.push('first'))
  await sleepMs(10)
  setDeadline(20, () => passed.push('second'))
  await sleepMs(15)
  expect(passed).toEqual(['first'])
  await sleepMs(40)
  expect(passed).toEqual(['first', 'second'])
})

test('a dropped deadline never passes and keeps no other from passing', async () => {
  const passed: number[] = []
  const deadlines = [0, 1, 2, 3].map(number => setDeadline(15, () => passed.push(number)))
  deadlines[0]?.drop()
  deadlines[2]?.drop()
  deadlines[2]?.drop()
  await sleepMs(40)
  expect(passed).toEqual([1, 3])
})

test('a deadline set when all others are gone passes too', async () => {
  const passed: string[] = []
  setDeadline(18, () => passed.push('gone')).drop()
  await sleepMs(40)
  setDeadline(18, () => passed.push('late'))
  await sleepMs(40)
  expect(passed).toEqual(['late'])
})

test('a deadline may be set and dropped by one that passes', async () => {
  const passed: string[] = []
  setDeadline(12, () => {
    other.drop()
    setDeadline(12, () => passed.push('next'))
  })
  const other = setDeadline(12, () => passed.push('other'))
  while (passed.length === 0) await sleepMs(5)
  expect(passed).toEqual(['next'])
})
