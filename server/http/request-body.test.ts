import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

/** A body without an end, and whether its reader has given it up. */
function endlessBody() {
  let isCancelled = false
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: controller => controller.enqueue(new Uint8Array(1024)),
      cancel() {
        isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, isCancelled: () => isCancelled }
}

test.each([
  ['/v1/chat/completions', 'a call of the relay that does not read it'],
  ['/api/none', 'a path that does not exist'],
  ['/api/token/', 'a call without a session'],
  ['/token', 'a page'],
])('gives up the body of POST %s, %s', async path => {
  const { stream, isCancelled } = endlessBody()
  await app.visitor.fetch(path, { method: 'POST', body: stream })
  expect(isCancelled()).toBe(true)
})

test('gives up no body that was read', async () => {
  const relay = async (request: Request) => Response.json({ text: await request.text() })
  const reading = await openTestApp({ parts: { relay } })
  const response = await reading.visitor.fetch('/v1/chat/completions', { method: 'POST', body: 'all of it' })
  expect(await response.json()).toEqual({ text: 'all of it' })
  await reading.close()
})
