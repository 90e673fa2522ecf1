import { setTimeout as sleep } from 'node:timers/promises'
import { buildDocs } from './build-docs.mjs'
import { runTollgate } from './run-bun.mjs'

const DEFAULT_PORT = '3000'
const POLL_MS = 250
/** The longest wait for a gateway whose port is not known, or that is never ready. */
const READY_WAIT_MS = 60_000

/** Serves the gateway, and builds the documentation once it is ready, so that the start does not wait for it. */
export async function serveWithDocs(args) {
  const ending = new AbortController()
  const building = buildWhenReady(ending.signal)
  const code = await runTollgate(['serve', ...args])
  ending.abort()
  await building
  return code
}

async function buildWhenReady(until) {
  try {
    const deadline = performance.now() + READY_WAIT_MS
    while (!(await isReady()) && performance.now() < deadline)
      await sleep(POLL_MS, undefined, { signal: until })
    await buildDocs({ until })
  } catch (error) {
    if (!until.aborted) process.stderr.write(`${error.message}\n`)
  }
}

function isReady() {
  const url = `http://127.0.0.1:${process.env.PORT || DEFAULT_PORT}/readyz`
  return fetch(url).then(
    response => response.ok,
    () => false,
  )
}
