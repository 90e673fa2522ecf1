import type { ComposedApp } from '#server/compose-app.ts'
import { sleepMs } from '#server/core/clock.ts'
import type { App } from '#server/http/app.ts'

/** The app that serves. After a move of the database another one takes its place while it finishes its requests. */
export interface ServingApp extends Pick<ComposedApp, 'drain' | 'hasPeers' | 'close'> {
  readonly fetch: App['fetch']
  current(): ComposedApp
  /** New requests wait until `release`, or for the given time, and are served then. */
  hold(msMax: number): void
  release(): void
  /** Serves new requests with another app. Those in progress stay with the app that has them. */
  replace(next: ComposedApp): void
}

export function createServingApp(first: ComposedApp): ServingApp {
  let app = first
  const retired: ComposedApp[] = []
  let held: { readonly over: Promise<unknown>; end(): void } | undefined
  const release = () => {
    held?.end()
    held = undefined
  }
  return {
    fetch: (request, server) =>
      held ? held.over.then(() => app.app.fetch(request, server)) : app.app.fetch(request, server),
    current: () => app,
    hold(msMax) {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = { over: promise, end: resolve }
      void sleepMs(msMax).then(resolve)
    },
    release,
    replace(next) {
      retired.push(app)
      app = next
    },
    drain: () => app.drain(),
    get hasPeers() {
      return app.hasPeers
    },
    async close() {
      release()
      for (const earlier of retired) await earlier.closeRetired()
      await app.close()
    },
  }
}
