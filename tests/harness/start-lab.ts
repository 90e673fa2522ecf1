import { freePort } from './free-port.ts'
import { startProgram } from './program.ts'
import { respondsOk } from './start-gateway.ts'
import { waitUntil } from './wait-until.ts'

const START_TIMEOUT_MS = 120_000

/** A running fault lab. */
export interface Lab {
  /** Base URL for channels, without a trailing slash. */
  readonly url: string
  readonly pid: number
  stop(): Promise<number>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts `tollgate lab` on a free port and waits until it responds. */
export async function startLab(): Promise<Lab> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = startProgram(['lab', '--port', String(port)], {})
  try {
    await waitUntil({ description: `the lab at ${url}`, timeoutMs: START_TIMEOUT_MS }, () => {
      if (program.hasEnded()) throw new Error('the lab ended before it answered')
      return respondsOk(`${url}/`)
    })
  } catch (cause) {
    await program.kill()
    throw new Error(`the lab did not come up; it printed:\n${program.output()}`, { cause })
  }
  return {
    url,
    pid: program.pid,
    stop: program.stop,
    async [Symbol.asyncDispose]() {
      await program.stop()
    },
  }
}
