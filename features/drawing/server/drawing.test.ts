import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { readStoredText } from '#server/core/language.ts'
import { serveLab } from '#server/lab/open-lab.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { provider as midjourneyProxyPlus } from '#server/providers/midjourney-proxy-plus/index.ts'
import { followTasks } from '#server/relay/tasks/follow-tasks.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

const WALLET = 2_000_000
const PRICE = 50_000
const MODELS =
  'mj_imagine,mj_upscale,mj_variation,mj_describe,mj_blend,mj_shorten,mj_upload,mj_modal,swap_face'
const STARTED_MS = 1_750_000_000_000
const NEVER_ABORTED = new AbortController().signal

let relay: TestRelay
let key: string
let now = STARTED_MS
let restore: () => void

const openRelay = async (options: Parameters<typeof TestRelay.open>[0] = {}) => {
  relay = await TestRelay.open({ wallet: WALLET, ...options })
  await relay.addChannel({ type: 5, models: MODELS })
  key = await relay.addToken()
}
const setOptions = (options: object) => Object.assign(relay.context.settings.current(), options)
const setModelPrices = (ModelPrice: Readonly<Record<string, number>>) => {
  setOptions({ prices: testPrices({ ModelPrice }) })
}

beforeEach(async () => {
  now = STARTED_MS
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  await openRelay()
})

/** The ledger balances after every test. */
afterEach(async () => {
  const { drift, findings } = await auditLedger(relay.db)
  await relay.close()
  restore()
  expect({ drift, findings }).toEqual({ drift: 0, findings: [] })
})

const post = async (path: string, body: unknown, as = key) => {
  const response = await relay.request(path, as, body)
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}
const fetchTask = async (id: unknown, as = key, headers = {}) => {
  const response = await relay.request(`/mj/task/${id}/fetch`, as, undefined, headers)
  return (await response.json()) as Record<string, unknown>
}
const submitDrawing = async (prompt = 'a lighthouse') =>
  (await post('/mj/submit/imagine', { prompt })).json.result
/** Advances the clock and follows tasks until none is due. */
const advance = async (ms: number) => {
  now += ms
  while ((await followTasks(relay.context, NEVER_ABORTED)) > 0);
}
const finishDrawing = async (prompt?: string) => {
  const id = await submitDrawing(prompt)
  await advance(5000)
  return id
}
const findWallet = () =>
  relay.db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota', 'request_count'])
    .where('id', '=', relay.userId)
    .executeTakeFirstOrThrow()
const listLogs = async () => {
  const rows = await relay.db.selectFrom('logs').selectAll().orderBy('id').execute()
  return rows.map(row => ({ ...row, content: readStoredText(row.content, 'en') }))
}
const listHolds = () => relay.db.selectFrom('holds').selectAll().execute()
const listTaskRows = () => relay.db.selectFrom('tasks').selectAll().orderBy('id').execute()

describe('drawing tasks', () => {
  test('hold the price while running, then charge and log it once', async () => {
    const id = await submitDrawing()
    expect(id).toMatch(/^\d{16}$/)
    expect(await findWallet()).toMatchObject({ quota: WALLET - PRICE, held_quota: PRICE, used_quota: 0 })
    expect(await fetchTask(id)).toMatchObject({
      id,
      action: 'IMAGINE',
      prompt: 'a lighthouse',
      progress: '0%',
    })
    await advance(5000)
    await advance(60_000)
    expect(await findWallet()).toEqual({
      quota: WALLET - PRICE,
      held_quota: 0,
      used_quota: PRICE,
      request_count: 1,
    })
    expect(await fetchTask(id)).toMatchObject({ status: 'SUCCESS', progress: '100%', failReason: '' })
    expect(await listLogs()).toMatchObject([
      { type: 2, quota: PRICE, model_name: 'mj_imagine', content: `IMAGINE ${id}`, use_time: 0 },
    ])
    expect(await listTaskRows()).toMatchObject([{ outcome: 'succeeded', quota: PRICE, due_ms: null }])
  })

  test('report progress while running', async () => {
    const id = await submitDrawing('a lighthouse [lab: task-ms-20000]')
    await advance(5000)
    expect(await fetchTask(id)).toMatchObject({ status: 'IN_PROGRESS', progress: '25%', finishTime: 0 })
    expect(await listHolds()).toHaveLength(1)
  })

  test('release the hold to wallet and token once when they fail', async () => {
    key = await relay.addToken({ remain: 200_000 })
    const id = await submitDrawing('a lighthouse [lab: task-fail]')
    const findToken = () =>
      relay.db
        .selectFrom('tokens')
        .select(['remain_quota', 'used_quota'])
        .orderBy('id', 'desc')
        .executeTakeFirst()
    expect(await findToken()).toEqual({ remain_quota: 150_000, used_quota: 0 })
    await advance(5000)
    await advance(60_000)
    expect(await findWallet()).toEqual({ quota: WALLET, held_quota: 0, used_quota: 0, request_count: 0 })
    expect(await findToken()).toEqual({ remain_quota: 200_000, used_quota: 0 })
    expect(await fetchTask(id)).toMatchObject({
      status: 'FAILURE',
      progress: '100%',
      failReason: '[Banned prompt detected]',
    })
    expect(await listLogs()).toMatchObject([
      { type: 5, quota: 0, content: `IMAGINE ${id}: [Banned prompt detected]; $0.100000 was given back` },
    ])
    expect(await listTaskRows()).toMatchObject([{ outcome: 'failed', quota: 0, due_ms: null }])
  })

  test.each(['task-stuck', 'task-lost'])('fail after an hour with the fault %s', async fault => {
    const id = await submitDrawing(`a lighthouse [lab: ${fault}]`)
    await advance(3_500_000)
    expect(await listHolds()).toHaveLength(1)
    await advance(100_000)
    expect(await fetchTask(id)).toMatchObject({
      status: 'FAILURE',
      failReason: 'the task took longer than an hour',
    })
    expect(await fetchTask(id, key, { 'accept-language': 'zh-CN' })).toMatchObject({
      failReason: '上游任务超时（超过 1 小时）',
    })
    expect(await findWallet()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('fail and release the hold when their channel was deleted', async () => {
    await submitDrawing()
    await relay.db.deleteFrom('channels').execute()
    await relay.context.channels.refresh()
    await advance(5000)
    expect(await findWallet()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('fail and release the hold when their channel has another type now', async () => {
    await submitDrawing()
    await relay.db.updateTable('channels').set({ type: 36 }).execute()
    await relay.context.channels.refresh()
    await advance(5000)
    expect(await listTaskRows()).toMatchObject([{ outcome: 'failed' }])
    expect(await findWallet()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('fail and release the hold when the provider returned no id', async () => {
    const id = await submitDrawing()
    await relay.db.updateTable('tasks').set({ task_id: '' }).where('task_id', '=', String(id)).execute()
    await advance(5000)
    expect(await listTaskRows()).toMatchObject([
      { outcome: 'failed', fail_reason: expect.stringContaining('上游没有返回任务 ID') },
    ])
    expect(await findWallet()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('are charged by the next poll when settling was interrupted', async () => {
    await submitDrawing()
    const decided = { outcome: 'succeeded', status: 'SUCCESS', due_ms: now } as const
    await relay.db.updateTable('tasks').set(decided).execute()
    await advance(0)
    expect(await findWallet()).toMatchObject({ held_quota: 0, used_quota: PRICE })
    await relay.db.updateTable('tasks').set({ due_ms: now }).execute()
    await advance(0)
    expect(await findWallet()).toMatchObject({ held_quota: 0, used_quota: PRICE, request_count: 1 })
    expect(await listLogs()).toHaveLength(1)
  })

  test('are charged later when the ledger cannot be written as they finish', async () => {
    await submitDrawing()
    await relay.db.schema.alterTable('usage_hours').renameTo('usage_hours_away').execute()
    await advance(5000)
    expect(await listTaskRows()).toMatchObject([{ outcome: 'succeeded' }])
    expect(await listLogs()).toEqual([])
    await relay.db.schema.alterTable('usage_hours_away').renameTo('usage_hours').execute()
    await submitDrawing('another')
    await advance(60_000)
    expect(await findWallet()).toMatchObject({ quota: WALLET - 2 * PRICE, used_quota: 2 * PRICE })
  }, 15_000)

  test('are rejected in the platform’s format before the provider is called when the quota is too low', async () => {
    key = await relay.addToken({ remain: 10 })
    expect(await post('/mj/submit/imagine', { prompt: 'a lighthouse' })).toEqual({
      status: 400,
      json: {
        description: 'quota_not_enough the token has $0.000020 left, the request needs $0.100000',
        type: 'upstream_error',
        code: 4,
      },
    })
    expect(await listTaskRows()).toEqual([])
  })

  test('cost the price of their action at the requested speed when it has one', async () => {
    setModelPrices({ mj_imagine: 0.2, mj_turbo_imagine: 0.4 })
    await post('/mj-relax/mj/submit/imagine', { prompt: 'a' })
    await post('/mj-turbo/mj/submit/imagine', { prompt: 'a' })
    await post('/mj/submit/imagine', { prompt: 'a' })
    expect((await listTaskRows()).map(({ mode, quota }) => [mode, quota])).toEqual([
      ['relax', 100_000],
      ['turbo', 200_000],
      ['', 100_000],
    ])
    await advance(5000)
  })
})

describe('a drawing submission', () => {
  test('reports the provider code 22 (queued) as accepted', async () => {
    const { json } = await post('/mj/submit/imagine', { prompt: 'a [lab: task-code-22]' })
    expect(json.code).toBe(1)
    expect(await listTaskRows()).toMatchObject([{ code: 22, outcome: 'open' }])
    await advance(5000)
    expect(await findWallet()).toMatchObject({ used_quota: PRICE })
  })

  test('follows and charges a task with the provider code 21 (exists)', async () => {
    const { json } = await post('/mj/submit/imagine', { prompt: 'a [lab: task-code-21]' })
    expect(json.code).toBe(1)
    await advance(5000)
    expect(await listTaskRows()).toMatchObject([{ code: 21, outcome: 'succeeded' }])
  })

  test.each([3, 23, 24, 9])(
    'stores a rejection with the provider code %d and charges nothing',
    async code => {
      const { status, json } = await post('/mj/submit/imagine', { prompt: `a [lab: task-code-${code}]` })
      expect([status, json.code]).toEqual([200, code])
      expect(await listTaskRows()).toMatchObject([
        {
          code,
          outcome: 'failed',
          status: 'FAILURE',
          quota: 0,
          fail_reason: `the lab rejects it with code ${code}`,
          due_ms: null,
        },
      ])
      expect(await findWallet()).toMatchObject({ quota: WALLET, held_quota: 0 })
      const content = `IMAGINE: the lab rejects it with code ${code}; $0.100000 was given back`
      expect(await listLogs()).toMatchObject([{ type: 5, quota: 0, content }])
    },
  )

  test('disables the channel on the provider code 3 (no account) when the option allows it', async () => {
    setOptions({ AutomaticDisableChannelEnabled: true })
    await relay.db.updateTable('channels').set({ auto_ban: 1 }).execute()
    await relay.context.channels.refresh()
    await post('/mj/submit/imagine', { prompt: 'a [lab: task-code-3]' })
    expect(await relay.db.selectFrom('channels').select('status').execute()).toEqual([{ status: 3 }])
  })

  test('ends its call of the channel when the database fails', async () => {
    setOptions({ AutomaticDisableChannelEnabled: true })
    await relay.db.updateTable('channels').set({ auto_ban: 1, setting: '{"max_concurrency":1}' }).execute()
    await relay.context.channels.refresh()
    const { schema } = relay.db
    await schema.alterTable('channels').renameTo('channels_away').execute()
    expect((await post('/mj/submit/imagine', { prompt: 'a [lab: task-code-3]' })).status).toBe(500)
    await schema.alterTable('channels_away').renameTo('channels').execute()
    expect((await post('/mj/submit/imagine', { prompt: 'a' })).json).toMatchObject({ code: 1 })
  })

  test.each([
    ['status-500', 400, 5],
    ['status-429', 429, 30],
    ['reset', 400, 5],
    ['garbage', 400, 5],
    ['empty', 400, 5],
  ])('returns an error and charges nothing with the fault %s', async (fault, status, code) => {
    await relay.db
      .updateTable('channels')
      .set({ base_url: `http://lab.test/fault/${fault}` })
      .execute()
    await relay.context.channels.refresh()
    const response = await post('/mj/submit/imagine', { prompt: 'a' })
    expect(response).toMatchObject({ status, json: { type: 'upstream_error', code } })
    expect(response.json.description).toMatch(/^(do_request_failed|upstream_saturated) /)
    expect(await findWallet()).toMatchObject({ quota: WALLET, held_quota: 0 })
    expect(await listLogs()).toMatchObject([{ type: 5, quota: 0 }])
    expect(await listHolds()).toEqual([])
  })

  test('polls again after a poll has failed', async () => {
    const id = await submitDrawing()
    await relay.db.updateTable('channels').set({ base_url: 'http://lab.test/fault/status-500' }).execute()
    await relay.context.channels.refresh()
    await advance(5000)
    expect(await listTaskRows()).toMatchObject([{ outcome: 'open' }])
    await relay.db.updateTable('channels').set({ base_url: 'http://lab.test' }).execute()
    await relay.context.channels.refresh()
    await advance(20_000)
    expect(await fetchTask(id)).toMatchObject({ status: 'SUCCESS' })
  })
})

describe('the drawing API', () => {
  test.each(['Prompt', 'notifyhook', 'NOTIFYHOOK'])(
    'rejects the key %s, which providers might read',
    async name => {
      const { status, json } = await post('/mj/submit/imagine', { prompt: 'a', [name]: 'b' })
      expect([status, json.description]).toEqual([400, expect.stringContaining(name)])
      expect(await listTaskRows()).toEqual([])
    },
  )

  const image = 'data:image/png;base64,AAAA'
  test.each([
    ['/mj/submit/describe', { base64: image }, 'DESCRIBE', 'mj_describe'],
    ['/mj/submit/blend', { base64Array: [image, image] }, 'BLEND', 'mj_blend'],
    ['/mj/submit/shorten', { prompt: 'long' }, 'SHORTEN', 'mj_shorten'],
    ['/mj/insight-face/swap', { sourceBase64: image, targetBase64: image }, 'SWAP_FACE', 'swap_face'],
    ['/mj-fast/mj/submit/imagine', { prompt: 'a' }, 'IMAGINE', 'mj_imagine'],
    ['/mj/submit/imagine/', { prompt: 'a' }, 'IMAGINE', 'mj_imagine'],
  ])('submits %s and charges the price of its action', async (path, body, action, model) => {
    const { status, json } = await post(path, body)
    expect([status, json.code]).toEqual([200, 1])
    await advance(5000)
    expect(await listTaskRows()).toMatchObject([{ action, outcome: 'succeeded' }])
    expect(await listLogs()).toMatchObject([{ type: 2, model_name: model }])
    expect(midjourneyProxyPlus.models).toContain(model)
  })

  test('finishes an upload immediately and returns its URLs', async () => {
    const { json } = await post('/mj/submit/upload-discord-images', { base64Array: [image] })
    expect(json.result).toEqual(['http://lab.test/lab/pictures/upload.png'])
    expect(await listTaskRows()).toMatchObject([
      { action: 'UPLOAD', status: 'SUCCESS', outcome: 'succeeded', due_ms: null },
    ])
    expect(await findWallet()).toMatchObject({ held_quota: 0, used_quota: PRICE })
  })

  test.each([
    ['/mj/submit/change', (taskId: unknown) => ({ taskId, action: 'UPSCALE', index: 2 }), 'UPSCALE'],
    ['/mj/submit/change', (taskId: unknown) => ({ taskId, action: 'REROLL' }), 'REROLL'],
    ['/mj/submit/simple-change', (taskId: unknown) => ({ content: `${taskId} U2` }), 'UPSCALE'],
    ['/mj/submit/simple-change', (taskId: unknown) => ({ content: `${taskId} v1` }), 'VARIATION'],
    ['/mj/submit/simple-change', (taskId: unknown) => ({ content: `${taskId} r` }), 'REROLL'],
    ['/mj/submit/action', (taskId: unknown) => ({ taskId, customId: 'MJ::JOB::upsample::2::h' }), 'UPSCALE'],
    ['/mj/submit/action', (taskId: unknown) => ({ taskId, customId: 'MJ::Outpaint::50::1::h' }), 'ZOOM'],
    ['/mj/submit/action', (taskId: unknown) => ({ taskId, customId: 'MJ::JOB::pan_left::1::h' }), 'PAN'],
  ])('continues a finished drawing by %s, case %#', async (path, body, action) => {
    const origin = await finishDrawing()
    expect((await post(path, body(origin))).json).toMatchObject({ code: 1 })
    await advance(5000)
    const [, row] = await listTaskRows()
    expect(row).toMatchObject({ action, prompt: 'a lighthouse', outcome: 'succeeded' })
  })

  test('charges nothing for opening a window but for the task started in it', async () => {
    setModelPrices({ mj_custom_zoom: 0 })
    const origin = await finishDrawing()
    const window = await post('/mj/submit/action', { taskId: origin, customId: 'MJ::CustomZoom::h' })
    expect(window.json).toMatchObject({ code: 21, description: 'Waiting for window confirm' })
    await advance(5000)
    expect(await fetchTask(window.json.result)).toMatchObject({ status: 'MODAL' })
    const modal = await post('/mj/submit/modal', { taskId: window.json.result, prompt: 'closer' })
    expect(modal.json).toMatchObject({ code: 1, result: window.json.result })
    await advance(20_000)
    expect(await fetchTask(window.json.result)).toMatchObject({ action: 'MODAL', status: 'SUCCESS' })
    expect(await findWallet()).toMatchObject({ quota: WALLET - 2 * PRICE, held_quota: 0 })
  })

  test('accepts an unknown button when its action has a price', async () => {
    const origin = await finishDrawing()
    const press = () => post('/mj/submit/action', { taskId: origin, customId: 'MJ::BOOKMARK::h' })
    expect(await press()).toMatchObject({
      status: 400,
      json: { description: 'unknown_action:MJ::BOOKMARK::h', code: 4 },
    })
    setModelPrices({ mj_bookmark: 0.01 })
    expect((await press()).json).toMatchObject({ code: 1 })
    await advance(5000)
    expect((await listLogs()).at(-1)).toMatchObject({ model_name: 'mj_bookmark', quota: 5000 })
  })

  test('returns the provider’s own response for an image seed free of charge', async () => {
    const id = await finishDrawing()
    const seed = await (await relay.request(`/mj/task/${id}/image-seed`, key, undefined)).json()
    expect(seed).toEqual({ code: 1, description: 'success', result: '2614949381' })
    expect(await findWallet()).toMatchObject({ quota: WALLET - PRICE })
  })

  test.each([
    ['/mj/submit/imagine', {}, 'prompt_is_required'],
    ['/mj/submit/change', { action: 'UPSCALE', index: 1 }, 'task_id_is_required'],
    ['/mj/submit/change', { taskId: '1', index: 1 }, 'action_is_required'],
    ['/mj/submit/change', { taskId: '1', action: 'UPSCALE' }, 'index_is_required'],
    ['/mj/submit/change', { taskId: '1', action: 'PAINT', index: 1 }, 'unknown_action:PAINT'],
    ['/mj/submit/change', { taskId: '1', action: 'UPSCALE', index: 1 }, 'task_not_found'],
    ['/mj/submit/simple-change', {}, 'content_is_required'],
    ['/mj/submit/simple-change', { content: '1 X9' }, 'content_parse_failed'],
    ['/mj/submit/action', { taskId: '1' }, 'custom_id_is_required'],
    ['/mj/submit/action', { taskId: '1', customId: 'MJ::JOB::upsample::x::h' }, 'index_parse_failed'],
    ['/mj/submit/action', { taskId: '1', customId: 'nonsense' }, 'unknown_action:nonsense'],
    ['/mj/submit/modal', { prompt: 'x' }, 'task_id_is_required'],
    ['/mj/submit/modal', { taskId: '1' }, 'task_not_found'],
    ['/mj/insight-face/swap', { sourceBase64: 'x' }, 'sour_base64_and_target_base64_is_required'],
    ['/mj/submit/imagine', '[]', 'invalid_request'],
    ['/mj/submit/imagine', '{', 'invalid_request'],
  ])('rejects %s with %j by the code %s', async (path, body, errorCode) => {
    const { status, json } = await post(path, body)
    expect(status).toBe(400)
    expect(json).toMatchObject({ type: 'upstream_error', code: 4 })
    expect(String(json.description).split(' ')[0]).toBe(errorCode)
    expect(await listTaskRows()).toEqual([])
    expect(await listHolds()).toEqual([])
  })
})

describe('a drawing that continues another', () => {
  test('uses the channel of its origin', async () => {
    const origin = await finishDrawing()
    const first = (await listTaskRows())[0]?.channel_id
    await relay.addChannel({ type: 5, models: MODELS, priority: 9, name: 'better' })
    await post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 })
    expect((await listTaskRows())[1]?.channel_id).toBe(first ?? 0)
    await advance(5000)
  })

  test('is charged once when it is submitted twice', async () => {
    const origin = await finishDrawing()
    const change = async () =>
      (await post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 })).json
    const first = await change()
    expect(await change()).toMatchObject({ code: 1, result: first.result })
    await advance(5000)
    expect(await change()).toMatchObject({ code: 1, result: first.result })
    expect(await findWallet()).toEqual({
      quota: WALLET - 2 * PRICE,
      held_quota: 0,
      used_quota: 2 * PRICE,
      request_count: 2,
    })
    expect(await listTaskRows()).toHaveLength(2)
  })

  test('is submitted and polled with the key of its origin', async () => {
    const encrypt = (keys: string) => relay.context.secrets.encrypt(keys)
    const columns = { key_sealed: encrypt('first\nsecond'), setting: JSON.stringify({ several_keys: true }) }
    await relay.db.updateTable('channels').set(columns).execute()
    await relay.context.channels.refresh()
    const keys = new Map<string, string[]>()
    const { send } = relay.context
    Object.assign(relay.context, {
      send: (request: Parameters<typeof send>[0], options: Parameters<typeof send>[1]) => {
        const { ids, prompt, taskId } = JSON.parse(String(request.body))
        for (const subject of ids ?? [prompt ?? taskId])
          keys.set(subject, [...(keys.get(subject) ?? []), request.headers['mj-api-secret'] ?? ''])
        return send(request, options)
      },
    })
    for (let made = 0; made < 12; made += 1) {
      const prompt = `a ${made}`
      const id = String(await submitDrawing(prompt))
      await advance(5000)
      await post('/mj/submit/change', { taskId: id, action: 'REROLL' })
      const used = new Set([...(keys.get(prompt) ?? []), ...(keys.get(id) ?? [])])
      expect(used.size).toBe(1)
    }
    expect(new Set([...keys.values()].flat())).toEqual(new Set(['first', 'second']))
    await advance(5000)
  })

  test('requires a finished origin unless the option is off', async () => {
    const origin = await submitDrawing()
    const change = () => post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 })
    expect((await change()).json.description).toStartWith('task_status_not_success')
    setOptions({ MjActionCheckSuccessEnabled: false })
    expect((await change()).json).toMatchObject({ code: 1 })
    await advance(5000)
  })

  test('is rejected when the channel of its origin is disabled', async () => {
    const origin = await finishDrawing()
    await relay.db.updateTable('channels').set({ status: 2 }).execute()
    await relay.context.channels.refresh()
    const { json } = await post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 })
    expect(json.description).toStartWith('get_channel_info_failed the channel of the task')
  })
})

test('the ledger audit finds a hold whose task is never due', async () => {
  await submitDrawing()
  await relay.db.updateTable('tasks').set({ due_ms: null }).execute()
  expect(await auditLedger(relay.db)).toMatchObject({
    drift: PRICE,
    findings: [{ balance: 'holds of tasks' }],
  })
  await relay.db.updateTable('tasks').set({ due_ms: now }).execute()
  await advance(5000)
})

describe('drawing options', () => {
  const captureBodies = () => {
    const bodies: string[] = []
    const { send } = relay.context
    Object.assign(relay.context, {
      send: (request: Parameters<typeof send>[0], options: Parameters<typeof send>[1]) => {
        bodies.push(String(request.body))
        return send(request, options)
      },
    })
    return () => JSON.parse(bodies.at(-1) ?? '{}')
  }
  const body = {
    prompt: 'a lighthouse --ar 16:9 --fast',
    notifyHook: 'https://client.example/cb',
    accountFilter: { modes: ['FAST'] },
    remarks: { kept: true },
  }

  test('forward unknown fields, but account filter and callback only when enabled', async () => {
    const sent = captureBodies()
    await post('/mj/submit/imagine', body)
    expect(sent()).toEqual({ prompt: body.prompt, remarks: { kept: true } })
    setOptions({ MjAccountFilterEnabled: true, MjNotifyEnabled: true })
    await post('/mj/submit/imagine', body)
    expect(sent()).toEqual(body)
  })

  test('remove mode flags from prompts when enabled', async () => {
    const sent = captureBodies()
    setOptions({ MjModeClearEnabled: true })
    await post('/mj/submit/imagine', body)
    expect(sent().prompt).toBe('a lighthouse --ar 16:9')
  })

  test('reject submissions when drawing is disabled', async () => {
    setOptions({ DrawingEnabled: false })
    expect((await post('/mj/submit/imagine', body)).json).toMatchObject({ code: 4 })
    expect(await listTaskRows()).toEqual([])
  })
})

describe('a task notification', () => {
  const submitWithCallback = async () => {
    setOptions({ MjNotifyEnabled: true })
    let hook = ''
    const { send } = relay.context
    Object.assign(relay.context, {
      send: (request: Parameters<typeof send>[0], options: Parameters<typeof send>[1]) => {
        hook ||= JSON.parse(String(request.body)).notifyHook ?? ''
        return send(request, options)
      },
    })
    const id = await submitDrawing('a [lab: task-ms-600000]')
    return { id, path: new URL(hook).pathname }
  }
  const notify = (path: string, task: object) => relay.request(path, '', task)

  test('to the signed URL records the state and settles the task once', async () => {
    const { id, path } = await submitWithCallback()
    expect((await notify(path, { id, status: 'IN_PROGRESS', progress: '60%' })).status).toBe(200)
    expect(await fetchTask(id)).toMatchObject({ progress: '60%' })
    for (const status of ['SUCCESS', 'SUCCESS', 'FAILURE'])
      await notify(path, { id, status, progress: '100%' })
    await advance(60_000)
    expect(await fetchTask(id)).toMatchObject({ status: 'SUCCESS' })
    expect(await findWallet()).toEqual({
      quota: WALLET - PRICE,
      held_quota: 0,
      used_quota: PRICE,
      request_count: 1,
    })
    expect(await listLogs()).toHaveLength(1)
  })

  test('of a failure releases the hold once even if a poll reports it too', async () => {
    const { id, path } = await submitWithCallback()
    await Promise.all([1, 2, 3].map(() => notify(path, { id, status: 'FAILURE', failReason: 'no' })))
    await advance(60_000)
    expect(await findWallet()).toEqual({ quota: WALLET, held_quota: 0, used_quota: 0, request_count: 0 })
    expect(await listLogs()).toMatchObject([{ type: 5 }])
  })

  test('without a valid signature or for another task changes nothing', async () => {
    const { id, path } = await submitWithCallback()
    const other = await submitDrawing('b [lab: task-ms-600000]')
    const finished = { id, status: 'SUCCESS', progress: '100%' }
    const forged = path.replace(/.$/, letter => (letter === '0' ? '1' : '0'))
    for (const [target, task] of [
      ['/mj/notify', finished],
      [forged, finished],
      [path.replace(/\/[^/]+$/, '/x'), finished],
      [path, { ...finished, id: other }],
      [path, { status: 'SUCCESS' }],
    ] as const)
      expect((await notify(target, task)).status).toBe(400)
    expect((await listTaskRows()).map(row => row.outcome)).toEqual(['open', 'open'])
  })
})

describe('reading drawing tasks', () => {
  test('hides the tasks of other users', async () => {
    const id = await finishDrawing()
    await relay.db.updateTable('tasks').set({ user_id: 99 }).execute()
    expect(await fetchTask(id)).toEqual({ description: 'task_no_found', type: 'upstream_error', code: 4 })
    expect((await post('/mj/task/list-by-condition', { ids: [id] })).json).toEqual([] as never)
  })

  test('lists several tasks and leaves out unknown ids', async () => {
    const [first, second] = [await submitDrawing(), await submitDrawing()]
    const { json } = await post('/mj/task/list-by-condition', { ids: [first, 'none', second] })
    expect((json as never as { id: string }[]).map(task => task.id)).toEqual([second, first] as string[])
  })

  test('allows a token with model limits to read tasks of other models', async () => {
    const id = await finishDrawing()
    const limited = await relay.addToken({ columns: { model_limits_enabled: 1, model_limits: 'other' } })
    expect(await fetchTask(id, limited)).toMatchObject({ id })
    const { status, json } = await post('/mj/submit/imagine', { prompt: 'a' }, limited)
    expect([status, json]).toMatchObject([403, { error: { code: 'model_not_allowed' } }])
  })

  test('returns model_not_found when no channel serves the model', async () => {
    await relay.db.deleteFrom('channels').execute()
    await relay.context.channels.refresh()
    const { status, json } = await post('/mj/submit/imagine', { prompt: 'a' })
    expect([status, json]).toMatchObject([404, { error: { code: 'model_not_found' } }])
  })

  test('accepts the key in the header of drawing clients', async () => {
    const id = await finishDrawing()
    const url = `http://gateway.test/mj/task/${id}/fetch`
    for (const headers of [
      { 'mj-api-secret': `sk-${key}` },
      { 'mj-api-secret': `Bearer sk-${key}`, authorization: 'Bearer midjourney-proxy' },
    ])
      expect((await relay.handle(new Request(url, { headers }))).status).toBe(200)
  })
})

describe('the image proxy', () => {
  const lab = serveLab({ port: 0 })
  const drawWithLab = async () => {
    await relay.db.updateTable('channels').set({ base_url: lab.url }).execute()
    await relay.context.channels.refresh()
    return finishDrawing()
  }
  const requestImage = (id: unknown) => relay.request(`/mj/image/${id}`, '', undefined)

  test('serves an image under our own URL without a key', async () => {
    const id = await drawWithLab()
    const { imageUrl } = await fetchTask(id)
    expect(imageUrl).toBe(`https://gate.example/mj/image/${id}`)
    const response = await requestImage(id)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect((await response.bytes()).slice(1, 4)).toEqual(new TextEncoder().encode('PNG'))
  })

  test('is off when the option is off, and tasks show the provider’s URL', async () => {
    setOptions({ MjForwardUrlEnabled: false })
    const id = await drawWithLab()
    expect((await fetchTask(id)).imageUrl).toBe(`${lab.url}/pictures/${id}.png`)
    expect((await requestImage(id)).status).toBe(400)
  })

  test.each([
    ['http://10.0.0.1/secret.png', 502, 'http_get_image_failed', 'may not fetch this address'],
    [
      'http://127.0.0.1:65535/refused.png',
      502,
      'http_get_image_failed',
      'could not be reached (ECONNREFUSED)',
    ],
    ['http://nobody.invalid/x.png', 502, 'http_get_image_failed', 'could not be reached'],
    ['file:///etc/passwd', 502, 'http_get_image_failed', 'neither http nor https'],
    ['not a url', 502, 'http_get_image_failed', 'malformed'],
    [`${lab.url}/`, 502, 'http_get_image_failed', 'not an image'],
    [`${lab.url}/nothing`, 404, 'http_get_image_failed', 'no longer has the image'],
    [`${lab.url}/fault/status-500/v1/models`, 502, 'http_get_image_failed', 'could not be fetched'],
    ['', 400, 'midjourney_task_not_found', undefined],
  ])('does not serve %s: %d', async (imageUrl, status, error, message) => {
    const id = await drawWithLab()
    await relay.db
      .updateTable('tasks')
      .set({ detail: JSON.stringify({ imageUrl }) })
      .execute()
    const response = await requestImage(id)
    const body = message === undefined ? { error } : { error, message: expect.stringContaining(message) }
    expect([response.status, await response.json()]).toEqual([status, body])
  })

  test.each(['%00', '%zz', '%E4%BD%A0', 'x'.repeat(5000)])(
    'never answers 500, also not to the id %s',
    async id => {
      expect((await requestImage(id)).status).toBe(400)
    },
  )

  test('returns 503 instead of a missing image when the database fails', async () => {
    const id = await drawWithLab()
    await relay.db.schema.alterTable('tasks').renameTo('tasks_away').execute()
    const response = await requestImage(id)
    await relay.db.schema.alterTable('tasks_away').renameTo('tasks').execute()
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('storage')])
  })

  test('returns an error for an unknown task', async () => {
    expect(await (await requestImage('nothing')).json()).toEqual({ error: 'midjourney_task_not_found' })
  })
})
