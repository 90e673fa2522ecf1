import { elapsedMs } from '#server/core/clock.ts'
import { send } from '#server/http-client/send.ts'

const OPTIONS = { headersTimeoutMs: 10_000, proxy: undefined, owner: 'channel' } as const

async function ask(url: string, text: string): Promise<string> {
  const request = { url, headers: {}, body: `[${text}]` }
  const sent = await send(request, { ...OPTIONS, signal: new AbortController().signal })
  return sent.kind === 'failure'
    ? sent.failure.message
    : Buffer.from(await sent.response.readAll(1_000)).toString()
}

/** Every caller of two users asks again and again. Returns each response that was not the caller's own. */
export async function callOften(url: string, callers: number, runMs: number): Promise<readonly string[]> {
  const endMs = elapsedMs() + runMs
  const wrong: string[] = []
  const call = async (caller: number) => {
    for (let count = 0; elapsedMs() < endMs; count += 1) {
      const text = `process ${process.pid}, user ${caller % 2}, caller ${caller}, request ${count}`
      const response = await ask(url, text)
      if (response !== text) wrong.push(response)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  return wrong
}

/** As a program: the address, the number of callers and the time, and the wrong responses as JSON. */
if (import.meta.main) {
  const [url = '', callers, runMs] = process.argv.slice(2)
  process.stdout.write(JSON.stringify(await callOften(url, Number(callers), Number(runMs))))
  process.exit(0)
}
