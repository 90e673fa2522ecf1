import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { serveLab } from '../../lab/open-lab.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { followTasks } from './follow-tasks.ts'

const WALLET = 2_000_000
const PRICE = 50_000
const MODELS =
  'mj_imagine,mj_upscale,mj_variation,mj_describe,mj_blend,mj_shorten,mj_upload,mj_modal,swap_face'
const STARTED_MS = 1_750_000_000_000
const NEVER = new AbortController().signal

let relay: TestRelay
let key: string
let now = STARTED_MS
let restore: () => void

const open = async (options: Parameters<typeof TestRelay.open>[0] = {}) => {
  relay = await TestRelay.open({ wallet: WALLET, ...options })
  await relay.addChannel({ type: 5, models: MODELS })
  key = await relay.addToken()
}
const withTasks = (tasks: object) => {
  const settings = relay.context.settings.current()
  Object.assign(settings, { tasks: { ...settings.tasks, ...tasks } })
}
const priced = (modelPrice: Readonly<Record<string, number>>) => {
  const settings = relay.context.settings.current()
  Object.assign(settings, { prices: { ...settings.prices, modelPrice } })
}

beforeEach(async () => {
  now = STARTED_MS
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  await open()
})

/** Whatever a test did, the books balance. */
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
const fetchTask = async (id: unknown, as = key) => {
  const response = await relay.request(`/mj/task/${id}/fetch`, as, undefined)
  return (await response.json()) as Record<string, unknown>
}
const imagine = async (prompt = 'a lighthouse') => (await post('/mj/submit/imagine', { prompt })).json.result
/** Lets time pass, then looks at what is due until nothing is. */
const pass = async (ms: number) => {
  now += ms
  while ((await followTasks(relay.context, NEVER)) > 0);
}
const finished = async (prompt?: string) => {
  const id = await imagine(prompt)
  await pass(5000)
  return id
}
const walletOf = () =>
  relay.db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota', 'request_count'])
    .where('id', '=', relay.userId)
    .executeTakeFirstOrThrow()
const logsOf = () => relay.db.selectFrom('logs').selectAll().orderBy('id').execute()
const holdsOf = () => relay.db.selectFrom('holds').selectAll().execute()
const rowsOf = () => relay.db.selectFrom('tasks').selectAll().orderBy('id').execute()

describe('a drawing', () => {
  test('is held while it runs, and charged and logged once when it is finished', async () => {
    const id = await imagine()
    expect(id).toMatch(/^\d{16}$/)
    expect(await walletOf()).toMatchObject({ quota: WALLET - PRICE, held_quota: PRICE, used_quota: 0 })
    expect(await fetchTask(id)).toMatchObject({
      id,
      action: 'IMAGINE',
      prompt: 'a lighthouse',
      progress: '0%',
    })
    await pass(5000)
    await pass(60_000)
    expect(await walletOf()).toEqual({
      quota: WALLET - PRICE,
      held_quota: 0,
      used_quota: PRICE,
      request_count: 1,
    })
    expect(await fetchTask(id)).toMatchObject({ status: 'SUCCESS', progress: '100%', failReason: '' })
    expect(await logsOf()).toMatchObject([
      { type: 2, quota: PRICE, model_name: 'mj_imagine', content: `IMAGINE ${id}`, use_time: 0 },
    ])
    expect(await rowsOf()).toMatchObject([{ outcome: 'succeeded', quota: PRICE, due_ms: null }])
  })

  test('shows how far it is while it runs', async () => {
    const id = await imagine('a lighthouse [lab: task-ms-20000]')
    await pass(5000)
    expect(await fetchTask(id)).toMatchObject({ status: 'IN_PROGRESS', progress: '25%', finishTime: 0 })
    expect(await holdsOf()).toHaveLength(1)
  })

  test('that fails is given back once, to wallet and token, with a log row', async () => {
    key = await relay.addToken({ remain: 200_000 })
    const id = await imagine('a lighthouse [lab: task-fail]')
    const tokenOf = () =>
      relay.db
        .selectFrom('tokens')
        .select(['remain_quota', 'used_quota'])
        .orderBy('id', 'desc')
        .executeTakeFirst()
    expect(await tokenOf()).toEqual({ remain_quota: 150_000, used_quota: 0 })
    await pass(5000)
    await pass(60_000)
    expect(await walletOf()).toEqual({ quota: WALLET, held_quota: 0, used_quota: 0, request_count: 0 })
    expect(await tokenOf()).toEqual({ remain_quota: 200_000, used_quota: 0 })
    expect(await fetchTask(id)).toMatchObject({
      status: 'FAILURE',
      progress: '100%',
      failReason: '[Banned prompt detected]',
    })
    expect(await logsOf()).toMatchObject([
      { type: 5, quota: 0, content: `IMAGINE ${id}: [Banned prompt detected]; 50000 units were given back` },
    ])
    expect(await rowsOf()).toMatchObject([{ outcome: 'failed', quota: 0, due_ms: null }])
  })

  test.each(['task-stuck', 'task-lost'])('with %s ends after an hour of our own clock', async fault => {
    const id = await imagine(`a lighthouse [lab: ${fault}]`)
    await pass(3_500_000)
    expect(await holdsOf()).toHaveLength(1)
    await pass(100_000)
    expect(await fetchTask(id)).toMatchObject({ status: 'FAILURE', failReason: '上游任务超时（超过1小时）' })
    expect(await walletOf()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('whose channel is gone fails, and is given back', async () => {
    await imagine()
    await relay.db.deleteFrom('channels').execute()
    await relay.context.channels.refresh()
    await pass(5000)
    expect(await walletOf()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('whose channel became another vendor’s fails, and is given back', async () => {
    await imagine()
    await relay.db.updateTable('channels').set({ type: 36 }).execute()
    await relay.context.channels.refresh()
    await pass(5000)
    expect(await rowsOf()).toMatchObject([{ outcome: 'failed' }])
    expect(await walletOf()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('that a vendor took without giving an id fails, and is given back', async () => {
    const id = await imagine()
    await relay.db.updateTable('tasks').set({ task_id: '' }).where('task_id', '=', String(id)).execute()
    await pass(5000)
    expect(await rowsOf()).toMatchObject([{ outcome: 'failed', fail_reason: '上游没有返回任务编号' }])
    expect(await walletOf()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('that was interrupted between its decision and its charge is charged by the next look', async () => {
    await imagine()
    const decided = { outcome: 'succeeded', status: 'SUCCESS', due_ms: now } as const
    await relay.db.updateTable('tasks').set(decided).execute()
    await pass(0)
    expect(await walletOf()).toMatchObject({ held_quota: 0, used_quota: PRICE })
    await relay.db.updateTable('tasks').set({ due_ms: now }).execute()
    await pass(0)
    expect(await walletOf()).toMatchObject({ held_quota: 0, used_quota: PRICE, request_count: 1 })
    expect(await logsOf()).toHaveLength(1)
  })

  test('that is finished while the books cannot be written is charged once they can', async () => {
    await imagine()
    await relay.db.schema.alterTable('usage_hours').renameTo('usage_hours_away').execute()
    await pass(5000)
    expect(await rowsOf()).toMatchObject([{ outcome: 'succeeded' }])
    expect(await logsOf()).toEqual([])
    await relay.db.schema.alterTable('usage_hours_away').renameTo('usage_hours').execute()
    await imagine('another')
    await pass(60_000)
    expect(await walletOf()).toMatchObject({ quota: WALLET - 2 * PRICE, used_quota: 2 * PRICE })
  }, 15_000)

  test('that cannot be paid is refused in the words of its clients, before the vendor is asked', async () => {
    key = await relay.addToken({ remain: 10 })
    expect(await post('/mj/submit/imagine', { prompt: 'a lighthouse' })).toEqual({
      status: 400,
      json: {
        description: 'quota_not_enough the token has 10 units left, 50000 are needed',
        type: 'upstream_error',
        code: 4,
      },
    })
    expect(await rowsOf()).toEqual([])
  })

  test('costs what its action costs at the asked speed, where that has a price', async () => {
    priced({ mj_imagine: 0.2, mj_turbo_imagine: 0.4 })
    await post('/mj-relax/mj/submit/imagine', { prompt: 'a' })
    await post('/mj-turbo/mj/submit/imagine', { prompt: 'a' })
    await post('/mj/submit/imagine', { prompt: 'a' })
    expect((await rowsOf()).map(({ mode, quota }) => [mode, quota])).toEqual([
      ['relax', 100_000],
      ['turbo', 200_000],
      ['', 100_000],
    ])
    await pass(5000)
  })
})

describe('the vendor answers a submission', () => {
  test('22: queued, which clients read as taken', async () => {
    const { json } = await post('/mj/submit/imagine', { prompt: 'a [lab: task-code-22]' })
    expect(json.code).toBe(1)
    expect(await rowsOf()).toMatchObject([{ code: 22, outcome: 'open' }])
    await pass(5000)
    expect(await walletOf()).toMatchObject({ used_quota: PRICE })
  })

  test('21: it exists already, which is followed and paid as well', async () => {
    const { json } = await post('/mj/submit/imagine', { prompt: 'a [lab: task-code-21]' })
    expect(json.code).toBe(1)
    await pass(5000)
    expect(await rowsOf()).toMatchObject([{ code: 21, outcome: 'succeeded' }])
  })

  test.each([3, 23, 24, 9])('%d: refused as it says, noted, and not charged', async code => {
    const { status, json } = await post('/mj/submit/imagine', { prompt: `a [lab: task-code-${code}]` })
    expect([status, json.code]).toEqual([200, code])
    expect(await rowsOf()).toMatchObject([
      {
        code,
        outcome: 'failed',
        status: 'FAILURE',
        quota: 0,
        fail_reason: `the lab answers ${code}`,
        due_ms: null,
      },
    ])
    expect(await walletOf()).toMatchObject({ quota: WALLET, held_quota: 0 })
    const content = `IMAGINE: the lab answers ${code}; 50000 units were given back`
    expect(await logsOf()).toMatchObject([{ type: 5, quota: 0, content }])
  })

  test('3: no account is left, so the channel is taken out of routing where that is wanted', async () => {
    Object.assign(relay.context.settings.current(), { isAutomaticDisableEnabled: true })
    await relay.db.updateTable('channels').set({ auto_ban: 1 }).execute()
    await relay.context.channels.refresh()
    await post('/mj/submit/imagine', { prompt: 'a [lab: task-code-3]' })
    expect(await relay.db.selectFrom('channels').select('status').execute()).toEqual([{ status: 3 }])
  })

  test('a submission that the database prevents leaves no call under way at its channel', async () => {
    Object.assign(relay.context.settings.current(), { isAutomaticDisableEnabled: true })
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
  ])('%s: the client is told so, nothing is charged', async (fault, status, code) => {
    await relay.db
      .updateTable('channels')
      .set({ base_url: `http://lab.test/fault/${fault}` })
      .execute()
    await relay.context.channels.refresh()
    const answer = await post('/mj/submit/imagine', { prompt: 'a' })
    expect(answer).toMatchObject({ status, json: { type: 'upstream_error', code } })
    expect(answer.json.description).toMatch(/^(do_request_failed|upstream_saturated) /)
    expect(await walletOf()).toMatchObject({ quota: WALLET, held_quota: 0 })
    expect(await logsOf()).toMatchObject([{ type: 5, quota: 0 }])
    expect(await holdsOf()).toEqual([])
  })

  test('a vendor that cannot be asked how tasks are is asked again', async () => {
    const id = await imagine()
    await relay.db.updateTable('channels').set({ base_url: 'http://lab.test/fault/status-500' }).execute()
    await relay.context.channels.refresh()
    await pass(5000)
    expect(await rowsOf()).toMatchObject([{ outcome: 'open' }])
    await relay.db.updateTable('channels').set({ base_url: 'http://lab.test' }).execute()
    await relay.context.channels.refresh()
    await pass(20_000)
    expect(await fetchTask(id)).toMatchObject({ status: 'SUCCESS' })
  })
})

describe('every address', () => {
  const picture = 'data:image/png;base64,AAAA'
  test.each([
    ['/mj/submit/describe', { base64: picture }, 'DESCRIBE', 'mj_describe'],
    ['/mj/submit/blend', { base64Array: [picture, picture] }, 'BLEND', 'mj_blend'],
    ['/mj/submit/shorten', { prompt: 'long' }, 'SHORTEN', 'mj_shorten'],
    ['/mj/insight-face/swap', { sourceBase64: picture, targetBase64: picture }, 'SWAP_FACE', 'swap_face'],
    ['/mj-fast/mj/submit/imagine', { prompt: 'a' }, 'IMAGINE', 'mj_imagine'],
    ['/mj/submit/imagine/', { prompt: 'a' }, 'IMAGINE', 'mj_imagine'],
  ])('%s draws, and costs what its action costs', async (path, body, action, model) => {
    const { status, json } = await post(path, body)
    expect([status, json.code]).toEqual([200, 1])
    await pass(5000)
    expect(await rowsOf()).toMatchObject([{ action, outcome: 'succeeded' }])
    expect(await logsOf()).toMatchObject([{ type: 2, model_name: model }])
  })

  test('an upload is finished at once, and gives addresses', async () => {
    const { json } = await post('/mj/submit/upload-discord-images', { base64Array: [picture] })
    expect(json.result).toEqual(['http://lab.test/lab/pictures/upload.png'])
    expect(await rowsOf()).toMatchObject([
      { action: 'UPLOAD', status: 'SUCCESS', outcome: 'succeeded', due_ms: null },
    ])
    expect(await walletOf()).toMatchObject({ held_quota: 0, used_quota: PRICE })
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
  ])('%s goes on from a finished picture: %#', async (path, body, action) => {
    const origin = await finished()
    expect((await post(path, body(origin))).json).toMatchObject({ code: 1 })
    await pass(5000)
    const [, row] = await rowsOf()
    expect(row).toMatchObject({ action, prompt: 'a lighthouse', outcome: 'succeeded' })
  })

  test('a button that opens a window is free; what is done in the window is paid', async () => {
    priced({ mj_custom_zoom: 0 })
    const origin = await finished()
    const window = await post('/mj/submit/action', { taskId: origin, customId: 'MJ::CustomZoom::h' })
    expect(window.json).toMatchObject({ code: 21, description: 'Waiting for window confirm' })
    await pass(5000)
    expect(await fetchTask(window.json.result)).toMatchObject({ status: 'MODAL' })
    const modal = await post('/mj/submit/modal', { taskId: window.json.result, prompt: 'closer' })
    expect(modal.json).toMatchObject({ code: 1, result: window.json.result })
    await pass(20_000)
    expect(await fetchTask(window.json.result)).toMatchObject({ action: 'MODAL', status: 'SUCCESS' })
    expect(await walletOf()).toMatchObject({ quota: WALLET - 2 * PRICE, held_quota: 0 })
  })

  test('a button that is not known is an action of its own where it has a price', async () => {
    const origin = await finished()
    const press = () => post('/mj/submit/action', { taskId: origin, customId: 'MJ::BOOKMARK::h' })
    expect(await press()).toMatchObject({
      status: 400,
      json: { description: 'unknown_action:MJ::BOOKMARK::h', code: 4 },
    })
    priced({ mj_bookmark: 0.01 })
    expect((await press()).json).toMatchObject({ code: 1 })
    await pass(5000)
    expect((await logsOf()).at(-1)).toMatchObject({ model_name: 'mj_bookmark', quota: 5000 })
  })

  test('the seed of a picture is the vendor’s own answer, and costs nothing', async () => {
    const id = await finished()
    const seed = await (await relay.request(`/mj/task/${id}/image-seed`, key, undefined)).json()
    expect(seed).toEqual({ code: 1, description: 'success', result: '2614949381' })
    expect(await walletOf()).toMatchObject({ quota: WALLET - PRICE })
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
  ])('%s with %j is refused: %s', async (path, body, word) => {
    const { status, json } = await post(path, body)
    expect(status).toBe(400)
    expect(json).toMatchObject({ type: 'upstream_error', code: 4 })
    expect(String(json.description).split(' ')[0]).toBe(word)
    expect(await rowsOf()).toEqual([])
    expect(await holdsOf()).toEqual([])
  })
})

describe('a follow-up', () => {
  test('goes to the channel that made its origin, with that channel’s key', async () => {
    const origin = await finished()
    const first = (await rowsOf())[0]?.channel_id
    await relay.addChannel({ type: 5, models: MODELS, priority: 9, name: 'better' })
    await post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 })
    expect((await rowsOf())[1]?.channel_id).toBe(first ?? 0)
    await pass(5000)
  })

  test('that is asked for twice is paid once: the vendor names what it does already', async () => {
    const origin = await finished()
    const change = async () =>
      (await post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 })).json
    const first = await change()
    expect(await change()).toMatchObject({ code: 1, result: first.result })
    await pass(5000)
    expect(await change()).toMatchObject({ code: 1, result: first.result })
    expect(await walletOf()).toEqual({
      quota: WALLET - 2 * PRICE,
      held_quota: 0,
      used_quota: 2 * PRICE,
      request_count: 2,
    })
    expect(await rowsOf()).toHaveLength(2)
  })

  test('is sent, and followed, with the key that made its origin', async () => {
    const seal = (keys: string) => relay.context.secrets.encrypt(keys)
    const columns = { key_sealed: seal('first\nsecond'), setting: JSON.stringify({ several_keys: true }) }
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
      const id = String(await imagine(prompt))
      await pass(5000)
      await post('/mj/submit/change', { taskId: id, action: 'REROLL' })
      const used = new Set([...(keys.get(prompt) ?? []), ...(keys.get(id) ?? [])])
      expect(used.size).toBe(1)
    }
    expect(new Set([...keys.values()].flat())).toEqual(new Set(['first', 'second']))
    await pass(5000)
  })

  test('needs a finished origin, unless the option says otherwise', async () => {
    const origin = await imagine()
    const change = () => post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 })
    expect((await change()).json.description).toStartWith('task_status_not_success')
    withTasks({ mustOriginBeFinished: false })
    expect((await change()).json).toMatchObject({ code: 1 })
    await pass(5000)
  })

  test('of a channel that is disabled is refused', async () => {
    const origin = await finished()
    await relay.db.updateTable('channels').set({ status: 2 }).execute()
    await relay.context.channels.refresh()
    const { json } = await post('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 })
    expect(json.description).toStartWith('get_channel_info_failed the channel of the task')
  })
})

test('a hold whose task nobody looks at any more is found by verify', async () => {
  await imagine()
  await relay.db.updateTable('tasks').set({ due_ms: null }).execute()
  expect(await auditLedger(relay.db)).toMatchObject({
    drift: PRICE,
    findings: [{ balance: 'holds of tasks' }],
  })
  await relay.db.updateTable('tasks').set({ due_ms: now }).execute()
  await pass(5000)
})

describe('options', () => {
  const sentTo = () => {
    const asked: string[] = []
    const { send } = relay.context
    Object.assign(relay.context, {
      send: (request: Parameters<typeof send>[0], options: Parameters<typeof send>[1]) => {
        asked.push(String(request.body))
        return send(request, options)
      },
    })
    return () => JSON.parse(asked.at(-1) ?? '{}')
  }
  const body = {
    prompt: 'a lighthouse --ar 16:9 --fast',
    notifyHook: 'https://client.example/cb',
    accountFilter: { modes: ['FAST'] },
    remarks: { kept: true },
  }

  test('unknown fields go through; account filter and callback do not, unless allowed', async () => {
    const sent = sentTo()
    await post('/mj/submit/imagine', body)
    expect(sent()).toEqual({ prompt: body.prompt, remarks: { kept: true } })
    withTasks({ isAccountFilterPassedOn: true, isCallbackWanted: true })
    await post('/mj/submit/imagine', body)
    expect(sent()).toEqual(body)
  })

  test('modes are taken out of prompts where that is wanted', async () => {
    const sent = sentTo()
    withTasks({ areModesCleared: true })
    await post('/mj/submit/imagine', body)
    expect(sent().prompt).toBe('a lighthouse --ar 16:9')
  })

  test('drawing that is closed is not relayed', async () => {
    withTasks({ isDrawingOpen: false })
    expect((await post('/mj/submit/imagine', body)).json).toMatchObject({ code: 4 })
    expect(await rowsOf()).toEqual([])
  })
})

describe('a notice', () => {
  const address = async () => {
    withTasks({ isCallbackWanted: true })
    let hook = ''
    const { send } = relay.context
    Object.assign(relay.context, {
      send: (request: Parameters<typeof send>[0], options: Parameters<typeof send>[1]) => {
        hook ||= JSON.parse(String(request.body)).notifyHook ?? ''
        return send(request, options)
      },
    })
    const id = await imagine('a [lab: task-ms-600000]')
    return { id, path: new URL(hook).pathname }
  }
  const notify = (path: string, task: object) => relay.request(path, '', task)

  test('to the signed address of its task is heard, and its money settled once however often it comes', async () => {
    const { id, path } = await address()
    expect((await notify(path, { id, status: 'IN_PROGRESS', progress: '60%' })).status).toBe(200)
    expect(await fetchTask(id)).toMatchObject({ progress: '60%' })
    for (const status of ['SUCCESS', 'SUCCESS', 'FAILURE'])
      await notify(path, { id, status, progress: '100%' })
    await pass(60_000)
    expect(await fetchTask(id)).toMatchObject({ status: 'SUCCESS' })
    expect(await walletOf()).toEqual({
      quota: WALLET - PRICE,
      held_quota: 0,
      used_quota: PRICE,
      request_count: 1,
    })
    expect(await logsOf()).toHaveLength(1)
  })

  test('of a failure gives back once, also when the poller learns of it too', async () => {
    const { id, path } = await address()
    await Promise.all([1, 2, 3].map(() => notify(path, { id, status: 'FAILURE', failReason: 'no' })))
    await pass(60_000)
    expect(await walletOf()).toEqual({ quota: WALLET, held_quota: 0, used_quota: 0, request_count: 0 })
    expect(await logsOf()).toMatchObject([{ type: 5 }])
  })

  test('that is not signed, forged, or about another task changes nothing', async () => {
    const { id, path } = await address()
    const other = await imagine('b [lab: task-ms-600000]')
    const done = { id, status: 'SUCCESS', progress: '100%' }
    const forged = path.replace(/.$/, letter => (letter === '0' ? '1' : '0'))
    for (const [where, task] of [
      ['/mj/notify', done],
      [forged, done],
      [path.replace(/\/[^/]+$/, '/x'), done],
      [path, { ...done, id: other }],
      [path, { status: 'SUCCESS' }],
    ] as const)
      expect((await notify(where, task)).status).toBe(400)
    expect((await rowsOf()).map(row => row.outcome)).toEqual(['open', 'open'])
  })
})

describe('reading', () => {
  test('tasks of others are not there', async () => {
    const id = await finished()
    await relay.db.updateTable('tasks').set({ user_id: 99 }).execute()
    expect(await fetchTask(id)).toEqual({ description: 'task_no_found', type: 'upstream_error', code: 4 })
    expect((await post('/mj/task/list-by-condition', { ids: [id] })).json).toEqual([] as never)
  })

  test('many at once; what is not there is left out', async () => {
    const [first, second] = [await imagine(), await imagine()]
    const { json } = await post('/mj/task/list-by-condition', { ids: [first, 'none', second] })
    expect((json as never as { id: string }[]).map(task => task.id)).toEqual([second, first] as string[])
  })

  test('a token with model limits may read what it may not order', async () => {
    const id = await finished()
    const limited = await relay.addToken({ columns: { model_limits_enabled: 1, model_limits: 'other' } })
    expect(await fetchTask(id, limited)).toMatchObject({ id })
    const { status, json } = await post('/mj/submit/imagine', { prompt: 'a' }, limited)
    expect([status, json]).toMatchObject([403, { error: { code: 'model_not_allowed' } }])
  })

  test('a model that no channel draws is answered as every token route answers it', async () => {
    await relay.db.deleteFrom('channels').execute()
    await relay.context.channels.refresh()
    const { status, json } = await post('/mj/submit/imagine', { prompt: 'a' })
    expect([status, json]).toMatchObject([503, { error: { code: 'no_available_channel' } }])
  })

  test('the key may stand in the header of drawing clients', async () => {
    const id = await finished()
    const url = `http://gateway.test/mj/task/${id}/fetch`
    for (const headers of [
      { 'mj-api-secret': `sk-${key}` },
      { 'mj-api-secret': `Bearer sk-${key}`, authorization: 'Bearer midjourney-proxy' },
    ])
      expect((await relay.handle(new Request(url, { headers }))).status).toBe(200)
  })
})

describe('a picture', () => {
  const lab = serveLab({ port: 0 })
  const drawn = async () => {
    await relay.db.updateTable('channels').set({ base_url: lab.url }).execute()
    await relay.context.channels.refresh()
    return finished()
  }
  const look = (id: unknown) => relay.request(`/mj/image/${id}`, '', undefined)

  test('is shown through our own address, without a key', async () => {
    const id = await drawn()
    const { imageUrl } = await fetchTask(id)
    expect(imageUrl).toBe(`https://gate.example/mj/image/${id}`)
    const shown = await look(id)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect((await shown.bytes()).slice(1, 4)).toEqual(new TextEncoder().encode('PNG'))
  })

  test('is shown at the vendor’s address when forwarding is off', async () => {
    withTasks({ arePicturesForwarded: false })
    const id = await drawn()
    expect((await fetchTask(id)).imageUrl).toBe(`${lab.url}/pictures/${id}.png`)
    expect((await look(id)).status).toBe(400)
  })

  test.each([
    ['http://10.0.0.1/secret.png', 500, 'http_get_image_failed'],
    ['file:///etc/passwd', 500, 'http_get_image_failed'],
    [`${lab.url}/`, 500, 'http_get_image_failed'],
    [`${lab.url}/nothing`, 404, 'http_get_image_failed'],
    ['', 400, 'midjourney_task_not_found'],
  ])('at %s is not shown: %d', async (imageUrl, status, error) => {
    const id = await drawn()
    await relay.db
      .updateTable('tasks')
      .set({ detail: JSON.stringify({ imageUrl }) })
      .execute()
    const answer = await look(id)
    expect([answer.status, await answer.json()]).toEqual([status, { error }])
  })

  test('is not waited for without end, and not called missing, where the database does not answer', async () => {
    const id = await drawn()
    await relay.db.schema.alterTable('tasks').renameTo('tasks_away').execute()
    const answer = await look(id)
    await relay.db.schema.alterTable('tasks_away').renameTo('tasks').execute()
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('storage')])
  })

  test('that nobody drew is not there', async () => {
    expect(await (await look('nothing')).json()).toEqual({ error: 'midjourney_task_not_found' })
  })
})
