import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Socket, TCPSocketListener } from 'bun'
import { callOften } from '../../tests/load/strays/call-often.ts'
import { elapsedMs } from '../core/clock.ts'

/** The environment sets more: a hundred prove the rules, eight find most faults. */
const RUNS = Number(process.env.STRAY_RUNS ?? 8)
const RUNS_AT_ONCE = 8
const CALLS_OF_A_PROCESS = join(import.meta.dir, '../../tests/load/strays/call-often.ts')
const CALLERS = 24
const RUN_MS = 5_000
/** Connections to a new origin are not reused before. */
const GOOD_UNTIL_MS = 2_000
/** From a request to its response; spread, so that connections are idle at different times. */
const THINKING_MS_MIN = 300
const THINKING_MS_MAX = 400
/** From a response to the one that nobody asked for. */
const STRAY_AFTER_MS_MIN = 100
const STRAY_AFTER_MS_MAX = 225
const STRAY = 'nobody asked for this'
const REQUEST_BODY = /\r\n\r\n\[(.+)\]$/s

interface Run {
  readonly strayAfterMs: number
  readonly processes: number
}

interface Upstream {
  text: string
  isWaiting: boolean
}

let listeners: TCPSocketListener<Upstream>[] = []
afterEach(() => {
  for (const listener of listeners) listener.stop(true)
  listeners = []
})

const responseOf = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`

/** Responds to each request with its own text, and once, after a while of good behaviour, to one that waits with something else. */
function serveOneStray(strayAfterMs: number): string {
  const startedMs = elapsedMs()
  let isStrayDue = true
  let responses = 0
  const sendStray = (socket: Socket<Upstream>) => {
    if (!isStrayDue || !socket.data.isWaiting) return
    isStrayDue = false
    socket.write(responseOf(STRAY))
  }
  const respond = (socket: Socket<Upstream>, text: string) => {
    socket.data.isWaiting = false
    socket.write(responseOf(text))
    if (elapsedMs() - startedMs > GOOD_UNTIL_MS) setTimeout(() => sendStray(socket), strayAfterMs)
  }
  const listener = Bun.listen<Upstream>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: '', isWaiting: false }
      },
      data(socket, bytes) {
        socket.data.text += bytes.toString('latin1')
        const [, text] = REQUEST_BODY.exec(socket.data.text) ?? []
        if (text === undefined) return
        socket.data = { text: '', isWaiting: true }
        responses += 1
        const thinkingMs = THINKING_MS_MIN + ((responses * 37) % (THINKING_MS_MAX - THINKING_MS_MIN))
        setTimeout(() => respond(socket, text), thinkingMs)
      },
      error: () => undefined,
    },
  })
  listeners.push(listener)
  return `http://127.0.0.1:${listener.port}/v1`
}

/** The responses that were not the callers' own, of this process and, for every second run, of another one that shares the upstream. */
async function findWrongResponses({ strayAfterMs, processes }: Run): Promise<readonly string[]> {
  const url = serveOneStray(strayAfterMs)
  const callers = CALLERS / processes
  const others = Array.from({ length: processes - 1 }, async () => {
    const child = Bun.spawn([process.execPath, CALLS_OF_A_PROCESS, url, String(callers), String(RUN_MS)], {
      stdout: 'pipe',
    })
    const wrong: string[] = JSON.parse(await new Response(child.stdout).text())
    return wrong
  })
  return (await Promise.all([callOften(url, callers, RUN_MS), ...others])).flat()
}

test.each([1, 2])(
  'a response that nobody asked for reaches one caller at most, and nobody gets the response of another, in %d processes',
  async processes => {
    const strayAfterMs = (run: number) =>
      STRAY_AFTER_MS_MIN + ((STRAY_AFTER_MS_MAX - STRAY_AFTER_MS_MIN) * run) / Math.max(RUNS_AT_ONCE - 1, 1)
    let met = 0
    for (let done = 0; done < RUNS; done += RUNS_AT_ONCE) {
      const runs = Array.from({ length: RUNS_AT_ONCE }, (_, run) =>
        findWrongResponses({ strayAfterMs: strayAfterMs(run), processes }),
      )
      const found = await Promise.all(runs)
      expect(found.filter(wrong => wrong.length > 1 || wrong.some(text => text !== STRAY))).toEqual([])
      met += found.flat().length
    }
    // Strays that met no waiting request would prove nothing; on a busy machine many do not.
    expect(met).toBeGreaterThan(0)
  },
  60_000 * Math.ceil(RUNS / RUNS_AT_ONCE),
)
