import { afterEach, beforeEach, expect, test } from 'bun:test'
import { CHANNEL_STATUS, LOG_TYPE } from '#contract/enums.ts'
import { setClock } from '#server/core/clock.ts'
import { readStoredText } from '#server/core/language.ts'
import { replaceAbilities, selectAbilitySources, toAbilities } from '#server/db/channels/abilities.ts'
import { readStoppedModels } from '#server/db/channels/stopped-models.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { createPriceBook } from '#server/pricing/price-book.ts'
import { followTasks } from '#server/relay/tasks/follow-tasks.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'

const MODEL = 'gpt-5.5'
const WALLET = 1_000_000_000
const USAGE = { prompt_tokens: 1_000, completion_tokens: 100 }
const LIMIT = 3
/** A provider's response without output, which costs and charges nothing. */
const EMPTY = { content: '', usage: { prompt_tokens: 0, completion_tokens: 0 } }
/** One cached token makes the exact charge 4000.25 units, which is rounded down. */
const ROUNDED_DOWN = {
  content: 'hi',
  usage: { prompt_tokens: 1_001, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 1 } },
}

let relay: TestRelay
let response: { readonly content: string; readonly usage: object }

beforeEach(() => {
  response = { content: 'hi', usage: USAGE }
})

afterEach(async () => {
  expect((await auditLedger(relay.db)).drift).toBe(0)
  await relay.close()
})

interface Terms {
  readonly setting: object
  readonly groupRatio?: number
  readonly isStopEnabled?: boolean
  readonly models?: string
}

async function open({
  setting,
  groupRatio = 1,
  isStopEnabled = false,
  models = MODEL,
}: Terms): Promise<(model?: string) => Promise<Response>> {
  relay = await TestRelay.open({
    wallet: WALLET,
    prices: createPriceBook({ GroupRatio: { default: groupRatio } }),
    options: { MarginAlarmRequests: LIMIT, MarginStopEnabled: isStopEnabled },
    send: sendThrough(async () =>
      Response.json({
        choices: [
          { index: 0, message: { role: 'assistant', content: response.content }, finish_reason: 'stop' },
        ],
        usage: response.usage,
      }),
    ),
  })
  await relay.addChannel({ name: 'bought', models, setting: JSON.stringify(setting) })
  const key = await relay.addToken()
  const messages = [{ role: 'user', content: 'word '.repeat(1_000) }]
  return (model = MODEL) => relay.request('/v1/chat/completions', key, { model, max_tokens: 100, messages })
}

const listCosts = async (): Promise<readonly unknown[]> =>
  (await relay.db.selectFrom('receipts').select('body').orderBy('log_id').execute()).map(
    ({ body }) => JSON.parse(body).cost_nanos,
  )

const readChannel = () =>
  relay.db.selectFrom('channels').select(['status', 'other_info']).executeTakeFirstOrThrow()

test('reports a channel that sells a model below cost several times in a row, once', async () => {
  const ask = await open({ setting: { purchase_factor: 1 }, groupRatio: 0.5 })
  for (let count = 1; count < LIMIT; count += 1) await ask()
  expect(relay.usageAlarms).toEqual([])
  await ask()
  const reason = `${MODEL} was sold below cost 3 times in a row, for a loss of $0.012000`
  expect(relay.usageAlarms).toEqual([['bought', reason]])
  const marked = async () => (await readChannel()).other_info !== ''
  await waitUntil({ description: 'the channel to be marked', timeoutMs: 20_000 }, marked)
  expect((await readChannel()).status).toBe(CHANNEL_STATUS.enabled)
})

test('stops a channel that sells below cost where the options say so, until somebody enables it', async () => {
  const ask = await open({ setting: { purchase_factor: 1 }, groupRatio: 0.5, isStopEnabled: true })
  for (let count = 0; count < LIMIT; count += 1) expect((await ask()).status).toBe(200)
  const isStopped = async () => (await readChannel()).status === CHANNEL_STATUS.autoDisabled
  await waitUntil({ description: 'the channel to be stopped', timeoutMs: 20_000 }, isStopped)
  expect(JSON.parse((await readChannel()).other_info)).toMatchObject({ needs_review: true })
  await waitUntil({ description: 'the notification', timeoutMs: 20_000 }, () => relay.disabled.length > 0)
  expect((await ask()).status).toBe(503)
})

test('stops only the model that sells below cost on a channel that serves others', async () => {
  const ask = await open({
    setting: { purchase_factor: 1 },
    groupRatio: 0.5,
    isStopEnabled: true,
    models: `${MODEL},gpt-5.4`,
  })
  await replaceAbilities(relay.db, [1], (await selectAbilitySources(relay.db)).flatMap(toAbilities))
  for (let count = 0; count < LIMIT; count += 1) expect((await ask()).status).toBe(200)
  await waitUntil({ description: 'the notification', timeoutMs: 20_000 }, () => relay.disabled.length > 0)
  const reason = `${MODEL} was sold below cost 3 times in a row, for a loss of $0.012000`
  expect(relay.disabled).toEqual([[`bought: ${MODEL}`, reason]])
  const { status, models, stopped_models } = await relay.db
    .selectFrom('channels')
    .select(['status', 'models', 'stopped_models'])
    .executeTakeFirstOrThrow()
  expect({ status, models }).toEqual({ status: CHANNEL_STATUS.enabled, models: `${MODEL},gpt-5.4` })
  expect(readStoppedModels(stopped_models)).toMatchObject([{ model: MODEL }])
  const abilities = await relay.db
    .selectFrom('abilities')
    .select(['model', 'enabled'])
    .orderBy('model')
    .execute()
  expect(abilities).toEqual([
    { model: 'gpt-5.4', enabled: 1 },
    { model: MODEL, enabled: 0 },
  ])
  const rejected = await ask()
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '30'])
  expect((await ask('gpt-5.4')).status).toBe(200)
  const audits = await relay.db
    .selectFrom('logs')
    .select(['user_id', 'content'])
    .where('type', '=', LOG_TYPE.management)
    .execute()
  expect(audits.map(({ content }) => readStoredText(content, 'en'))).toEqual([
    `the model ${MODEL} of channel #1 (bought) was stopped automatically: ${reason}`,
  ])
})

test('disables the channel when the last model that it serves sells below cost too', async () => {
  const ask = await open({
    setting: { purchase_factor: 1 },
    groupRatio: 0.5,
    isStopEnabled: true,
    models: `${MODEL},gpt-5.4`,
  })
  for (const model of [MODEL, 'gpt-5.4'])
    for (let count = 0; count < LIMIT; count += 1) expect((await ask(model)).status).toBe(200)
  await waitUntil({ description: 'both stops', timeoutMs: 20_000 }, () => relay.disabled.length === 2)
  expect((await readChannel()).status).toBe(CHANNEL_STATUS.autoDisabled)
  expect((await ask('gpt-5.4')).status).toBe(503)
})

test('neither profits nor a cost that is covered exactly raise an alarm', async () => {
  const ask = await open({ setting: { purchase_factor: 1 } })
  for (let count = 0; count < LIMIT + 1; count += 1) await ask()
  expect(relay.usageAlarms).toEqual([])
})

test('losses that are not in a row raise no alarm', async () => {
  const ask = await open({ setting: { purchase_factor: 1 }, groupRatio: 0.5 })
  for (const purchase_factor of [1, 1, 0.1, 1, 1]) {
    await relay.db
      .updateTable('channels')
      .set({ setting: JSON.stringify({ purchase_factor }) })
      .execute()
    await relay.context.channels.refresh()
    expect((await ask()).status).toBe(200)
  }
  expect(relay.usageAlarms).toEqual([])
})

test('a cost that is covered but for rounding raises no alarm', async () => {
  const ask = await open({ setting: { purchase_factor: 1 } })
  response = ROUNDED_DOWN
  for (let count = 0; count < LIMIT + 1; count += 1) await ask()
  expect(await listCosts()).toEqual(Array(LIMIT + 1).fill(8_000_500))
  expect(relay.usageAlarms).toEqual([])
})

test('responses that cost nothing do not hide sales below cost', async () => {
  const ask = await open({ setting: { purchase_factor: 1 }, groupRatio: 0.5 })
  for (let count = 0; count < LIMIT; count += 1) {
    response = { content: 'hi', usage: USAGE }
    await ask()
    response = EMPTY
    await ask()
  }
  expect(relay.usageAlarms).toHaveLength(1)
})

test('stops a model of drawings that is sold below cost', async () => {
  let aheadMs = 0
  const restore = setClock({
    nowMs: () => Date.now() + aheadMs,
    elapsedMs: () => performance.now() + aheadMs,
  })
  relay = await TestRelay.open({
    wallet: WALLET,
    options: { MarginAlarmRequests: 2, MarginStopEnabled: true },
  })
  const setting = JSON.stringify({ purchase_prices: { mj_imagine: { request: 0.5 } } })
  await relay.addChannel({ type: 5, models: 'mj_imagine,mj_describe', setting })
  const key = await relay.addToken()
  for (let count = 0; count < 2; count += 1) {
    expect((await relay.request('/mj/submit/imagine', key, { prompt: 'a lighthouse' })).status).toBe(200)
    aheadMs += 5000
    while ((await followTasks(relay.context, new AbortController().signal)) > 0);
  }
  await waitUntil({ description: 'the stop', timeoutMs: 20_000 }, () => relay.disabled.length > 0)
  restore()
  expect((await readChannel()).status).toBe(CHANNEL_STATUS.enabled)
  const { stopped_models } = await relay.db
    .selectFrom('channels')
    .select('stopped_models')
    .executeTakeFirstOrThrow()
  expect(readStoppedModels(stopped_models)).toMatchObject([{ model: 'mj_imagine' }])
})
