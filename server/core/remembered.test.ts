import { expect, test } from 'bun:test'
import { remembered } from './remembered.ts'

function counted(countMax: number) {
  const asked: string[] = []
  const find = remembered(text => {
    asked.push(text)
    return text.length
  }, countMax)
  return { asked, find }
}

test('is asked once for each text', () => {
  const { asked, find } = counted(10)
  expect(['one', 'three', 'one', 'three'].map(find)).toEqual([3, 5, 3, 5])
  expect(asked).toEqual(['one', 'three'])
})

test('remembers no more than it may, and no long texts', () => {
  const { asked, find } = counted(2)
  const long = 'x'.repeat(10_000)
  for (const text of ['a', 'b', 'c', 'c', 'a', long, long]) expect(find(text)).toBe(text.length)
  expect(asked).toEqual(['a', 'b', 'c', 'a', long, long])
})

test('does not remember what could not be found', () => {
  let tries = 0
  const find = remembered(() => {
    tries += 1
    if (tries === 1) throw new Error('not yet')
    return tries
  }, 10)
  expect(() => find('x')).toThrow('not yet')
  expect(find('x')).toBe(2)
})

test('does not keep the text alive that a part of it was cut from', async () => {
  const MB = 2 ** 20
  const find = remembered(text => text.length, 1_000)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const grownMb = () => (process.memoryUsage.rss() - before) / MB
  for (let count = 0; count < 300; count += 1)
    expect(find(`${' '.repeat(MB)}key number ${count}`.trim())).toBeLessThan(20)
  for (let looks = 0; looks < 50 && grownMb() > 100; looks += 1) {
    Bun.gc(true)
    await Bun.sleep(100)
  }
  expect(grownMb()).toBeLessThan(150)
  expect(find('key number 7')).toBe(12)
})
