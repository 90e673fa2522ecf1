import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import * as logCalls from '#features/logs/contract/logs.ts'
import { elapsedMs, nowSeconds, sleepMs } from '#server/core/clock.ts'
import { percentile } from '../../bench/percentiles.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { callChat, isCompleteStream } from '../harness/call-chat.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const MODEL = 'asked'
const USAGE_ROWS = 300_000
const LOG_ROWS = 60_000
const RANGE_SECONDS = 20 * 24 * 3600
const ATTACK_MS = 2500
const QUESTION_INTERVAL_MS = 1000
const CLIENTS = 8
const P99_MS_MAX = 500
const MEMORY_MIB_MAX = 400

let site: Site
let busy: AdminClient
let key: string

beforeAll(async () => {
  site = await startSite()
  await setOptions(site.root, { ModelRatio: { [MODEL]: 1 } })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
  key = (await addToken(site.root)).key
  busy = await addUser(site.gateway, { username: 'busy', wallet: 1_000_000 })
  await fillUsage(busy.userId)
})
afterAll(() => site?.stop())

/** Usage of many models and tokens and as many log rows, all of one user. */
function fillUsage(userId: number): Promise<void> {
  const start = nowSeconds() - RANGE_SECONDS
  const numbers = (count: number) =>
    sql`(with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n + 1 < ${sql.lit(count)})
      select n from numbers)`
  const second = (count: number) => sql`${sql.lit(start)} + n * ${sql.lit(RANGE_SECONDS)} / ${sql.lit(count)}`
  const hour = sql`(${second(USAGE_ROWS)}) / 3600 * 3600`
  return inDatabase(site.gateway, async db => {
    await sql`insert into usage_hours select ${hour}, ${sql.lit(userId)}, n % 700, 1, 'model-' || n % 900, 'default', 2, 1, 1, 1, 1
      from ${numbers(USAGE_ROWS)} where true on conflict do nothing`.execute(db)
    await sql`insert into logs (request_id, user_id, created_at, type, username, token_id, token_name, model_name,
        channel_id, "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content)
      select 'request-' || n, ${sql.lit(userId)}, ${second(LOG_ROWS)}, 2, 'busy', n % 700, 'token', 'model-' || n % 900, 1,
        'default', 1, 1, 1, 1, 0, 'a row of the log' from ${numbers(LOG_ROWS)}`.execute(db)
  })
}

async function relayUntil(isOver: () => boolean) {
  const latencies: number[] = []
  const failures: string[] = []
  const client = async (index: number) => {
    for (let turn = index; !isOver(); turn += 1) {
      const startedMs = elapsedMs()
      const stream = turn % 2 === 0
      const body = { model: MODEL, stream, messages: [{ role: 'user', content: 'hello' }] }
      const result = await callChat({ url: site.gateway.url, key, body })
      latencies.push(elapsedMs() - startedMs)
      if (stream ? !isCompleteStream(result) : result.status !== 200) failures.push(result.text)
      await sleepMs(20)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)))
  return { latencies, failures }
}

async function repeatQuestions(isOver: () => boolean) {
  const statuses: number[] = []
  const pending: Promise<unknown>[] = []
  const ask = async (
    client: AdminClient,
    call: Parameters<AdminClient['send']>[0],
    query: Record<string, string>,
  ) => void statuses.push((await client.send(call, { query })).status)
  while (!isOver()) {
    pending.push(
      ask(busy, logCalls.getSelfLogFacets, {}),
      ask(site.root, logCalls.getLogFacets, {}),
      ask(site.root, logCalls.getLogHistogram, { split: 'model', utc_offset_minutes: '0' }),
      ask(site.root, logCalls.listLogs, { model_name: '%nothing%' }),
      exportRows().then(status => statuses.push(status)),
    )
    await sleepMs(QUESTION_INTERVAL_MS)
  }
  await Promise.all(pending)
  return statuses
}

const exportRows = async () => {
  const headers = { cookie: site.root.cookie, 'new-api-user': String(site.root.userId) }
  const response = await fetch(`${site.gateway.url}/api/log/export`, { headers })
  await response.text()
  return response.status
}

test('questions over a large log leave relayed requests fast', async () => {
  const endMs = elapsedMs() + ATTACK_MS
  const isOver = () => elapsedMs() > endMs
  const [relayed, statuses] = await Promise.all([relayUntil(isOver), repeatQuestions(isOver)])
  expect(relayed.failures).toEqual([])
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(percentile(relayed.latencies, 0.99)).toBeLessThan(P99_MS_MAX)
  expect(residentMib(site.gateway.pid)).toBeLessThan(MEMORY_MIB_MAX)
})

/** Measured on Linux only. */
function residentMib(pid: number): number {
  if (process.platform !== 'linux') return 0
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}
