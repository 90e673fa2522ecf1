import { elapsedMs } from '#server/core/clock.ts'
import { callChat, isCompleteStream } from '../../harness/call-chat.ts'
import { freePort } from '../../harness/free-port.ts'
import { addLabChannel, addToken } from '../../harness/lab-channel.ts'
import { setOptions } from '../../harness/set-options.ts'
import { type Site, startSite } from '../../harness/start-site.ts'

/** How the dead channel fails: a lab fault on every request, or a closed port. */
export type Death = 'nobody listens' | 'status-500' | 'reset' | 'garbage' | 'hang'

interface FailingChannelLoad {
  readonly death: Death
  readonly requests: number
  readonly clients: number
}

export interface FailingChannelResult {
  readonly death: Death
  readonly served: number
  /** Distinct failures of clients. */
  readonly failures: readonly string[]
  /** Milliseconds from the request to the last byte, sorted. */
  readonly latenciesMs: readonly number[]
  readonly seconds: number
}

const MODEL = 'thirds'

/** Sends requests, every second one streamed, while one of three equal channels is dead from the start. */
export async function runFailingChannel({
  death,
  requests,
  clients,
}: FailingChannelLoad): Promise<FailingChannelResult> {
  const site = await startSite()
  const key = await prepare(site, death)
  const latenciesMs: number[] = []
  const failures = new Set<string>()
  let served = 0
  let sent = 0
  const client = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1
      const startedMs = elapsedMs()
      const failure = await ask(site.gateway.url, key, sent % 2 === 0 || death === 'hang')
      latenciesMs.push(elapsedMs() - startedMs)
      if (failure) failures.add(failure)
      else served += 1
    }
  }
  const startedMs = elapsedMs()
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (elapsedMs() - startedMs) / 1000
  await site.stop()
  return {
    death,
    served,
    failures: [...failures],
    latenciesMs: latenciesMs.toSorted((a, b) => a - b),
    seconds,
  }
}

async function prepare({ root, lab }: Site, death: Death): Promise<string> {
  await setOptions(root, { ModelRatio: { [MODEL]: 1 }, RetryTimes: 2, FailedRequestRateLimit: 0 })
  const models = [MODEL]
  const nobody = { draft: { base_url: `http://127.0.0.1:${await freePort()}` } }
  await addLabChannel(root, lab, {
    provider: 'openai',
    models,
    name: 'dead',
    ...(death === 'nobody listens' ? nobody : { scenario: death }),
  })
  for (const name of ['well', 'too']) await addLabChannel(root, lab, { provider: 'openai', models, name })
  return (await addToken(root)).key
}

/** Returns undefined for a complete response. */
async function ask(url: string, key: string, isStream: boolean): Promise<string | undefined> {
  const body = { model: MODEL, stream: isStream, messages: [{ role: 'user', content: 'hello' }] }
  try {
    const response = await callChat({ url, key, body })
    const isJson = isStream
      ? isCompleteStream(response)
      : response.status === 200 && response.text.includes('"choices"')
    return isJson ? undefined : `${response.status}: ${response.text.slice(0, 200)}`
  } catch (error) {
    return String(error)
  }
}
