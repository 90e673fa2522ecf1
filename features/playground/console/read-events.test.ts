import { expect, test } from 'bun:test'
import { readEvents } from './read-events.ts'

const STREAM =
  ': hello\n\ndata: {"a":"中"}\r\n\r\ndata: one\ndata: two\n\nevent: x\ndata: last\n\ndata: cut off'
const EVENTS = ['{"a":"中"}', 'one\ntwo', 'last']

const streamOf = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

test('yields the data of complete events and skips comments', async () => {
  expect(await Array.fromAsync(readEvents(streamOf([new TextEncoder().encode(STREAM)])))).toEqual(EVENTS)
})

test('yields the same events wherever the bytes are split', async () => {
  const bytes = new TextEncoder().encode(STREAM)
  for (let at = 0; at <= bytes.length; at++) {
    const pieces = [bytes.slice(0, at), bytes.slice(at)]
    expect(await Array.fromAsync(readEvents(streamOf(pieces)))).toEqual(EVENTS)
  }
})

test('cancels the stream when the consumer stops early', async () => {
  let isCancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(new TextEncoder().encode('data: again\n\n')),
    cancel: () => {
      isCancelled = true
    },
  })
  for await (const event of readEvents(endless)) {
    expect(event).toBe('again')
    break
  }
  expect(isCancelled).toBe(true)
})
