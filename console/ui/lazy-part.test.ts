import { expect, test } from 'bun:test'
import { type ComponentType, createElement, Suspense } from 'react'
import { renderToReadableStream, renderToString } from 'react-dom/server'
import { lazyPage, lazyPart, PartLoadError } from './lazy-part.ts'

const NO_CSS = new Error('Unable to preload CSS for /assets/page-1.css')

/** A loader that fails as often as told before it succeeds. */
function failing(times: number) {
  const calls = { count: 0 }
  return {
    calls,
    load: async () => {
      calls.count += 1
      if (calls.count <= times) throw NO_CSS
      return () => 'loaded'
    },
  }
}

/** Renders a part; collects the errors of its boundary. */
async function render(Part: ComponentType): Promise<{ readonly html: string; readonly errors: unknown[] }> {
  const errors: unknown[] = []
  const stream = await renderToReadableStream(
    createElement(Suspense, { fallback: null }, createElement(Part)),
    { onError: error => void errors.push(error) },
  )
  return { html: await new Response(stream).text(), errors }
}

test('loads the code once, however often it is preloaded and shown', async () => {
  const { calls, load } = failing(0)
  const part = lazyPart(load)
  void part.preload()
  void part.preload()
  expect((await render(part.Part)).html).toContain('loaded')
  expect(calls.count).toBe(1)
})

test('shows code that is loaded without waiting for it', async () => {
  const part = lazyPart(failing(0).load)
  const page = lazyPage(failing(0).load)
  await Promise.all([part.preload(), page.preload()])
  expect(renderToString(createElement(part.Part))).toBe('loaded')
  expect(renderToString(createElement(page.Part))).toBe('loaded')
})

test('a preload that fails raises no error and is forgotten, so that opening loads again', async () => {
  const { calls, load } = failing(1)
  const part = lazyPart(load)
  await part.preload()
  expect((await render(part.Part)).html).toContain('loaded')
  expect(calls.count).toBe(2)
})

test('reports any failure to load a part as a load error that keeps its message', async () => {
  const { errors } = await render(lazyPart(failing(1).load).Part)
  expect(errors).toEqual([new PartLoadError(NO_CSS.message, { cause: NO_CSS })])
  expect(errors[0]).toBeInstanceOf(PartLoadError)
})

test('a page recovers from a failure only when it is shown, not when it is preloaded', async () => {
  let recovered = 0
  const page = lazyPage(failing(2).load, async () => {
    recovered += 1
    return () => 'recovered'
  })
  await page.preload()
  expect(recovered).toBe(0)
  expect((await render(page.Part)).html).toContain('recovered')
})
