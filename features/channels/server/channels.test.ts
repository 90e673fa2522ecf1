import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { LOG_TYPE } from '#contract/enums.ts'
import { listTypeModels, listUserModels } from '#contract/models.ts'
import { putOptions } from '#contract/options/options.ts'
import { readStoredText, sameInBoth, toStoredText } from '#server/core/language.ts'
import { disableChannelAutomatically } from '#server/db/channels/channels.ts'
import { writeStoppedModels } from '#server/db/channels/stopped-models.ts'
import * as checkEndpoints from '../contract/channel-checks.ts'
import * as endpoints from '../contract/channel-endpoints.ts'
import type { Channel } from '../contract/channels.ts'
import { type ChannelsTestApp, openChannelsApp } from './testing.ts'

let app: ChannelsTestApp
beforeEach(async () => {
  app = await openChannelsApp()
})
afterEach(() => app.close())

const draft = { type: 1, name: 'one', key: 'sk-upstream-1', models: 'gpt-4o,gpt-4o-mini', group: 'default' }

const create = async (change: object = {}): Promise<Channel[]> =>
  (await app.root.call(endpoints.createChannels, { body: { ...draft, ...change } })).data
const createOne = async (change: object = {}): Promise<Channel> => {
  const [channel] = await create(change)
  if (!channel) throw new Error('no channel was made')
  return channel
}
const list = async (query: object = {}) =>
  (await app.root.call(endpoints.listChannels, { query: { ...query } })).data
const names = (channels: readonly Channel[]) => channels.map(channel => channel.name)
const keyOf = async (id: number) => {
  const row = await app.db
    .selectFrom('channels')
    .select('key_sealed')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return app.secrets.decrypt(row.key_sealed)
}
const abilities = () =>
  app.db.selectFrom('abilities').selectAll().orderBy('channel_id').orderBy('group').orderBy('model').execute()
const managementLog = async () =>
  (
    await app.db
      .selectFrom('logs')
      .select('content')
      .where('type', '=', LOG_TYPE.management)
      .orderBy('id')
      .execute()
  ).map(({ content }) => readStoredText(content, 'en'))
const update = (body: { id: number } & Record<string, unknown>) =>
  app.root.call(endpoints.updateChannel, { body })

describe('200: one channel', () => {
  test('creates a channel whose key is in no response and encrypted in the database', async () => {
    const channel = await createOne()
    expect(channel).toMatchObject({
      id: 1,
      key: '',
      status: 1,
      group: 'default',
      groups: ['default'],
      auto_ban: 1,
    })
    const responses = await Promise.all([
      app.root.fetch('/api/channel/?page_size=10'),
      app.root.fetch('/api/channel/?tag_mode=true'),
      app.root.fetch('/api/channel/search?keyword=sk-upstream-1'),
      app.root.fetch('/api/channel/1'),
      app.root.fetch('/api/channel/', { method: 'PUT', body: '{"id":1,"priority":3}' }),
    ])
    for (const response of responses) {
      const text = await response.text()
      expect(text).toContain('"name":"one"')
      expect(text).not.toContain('sk-upstream-1')
    }
    expect(JSON.stringify(await app.db.selectFrom('channels').selectAll().execute())).not.toContain(
      'sk-upstream-1',
    )
    expect(await keyOf(1)).toBe('sk-upstream-1')
  })

  test('creates one channel for each distinct line of the key', async () => {
    const channels = await create({ key: ' a \n\nb\na\n' })
    expect(await Promise.all(channels.map(({ id }) => keyOf(id)))).toEqual(['a', 'b'])
  })

  test('copies the configuration and the key, but no statistics', async () => {
    const source = await createOne({ priority: 7, setting: '{"force_format":true}', tag: 't' })
    await app.db.updateTable('channels').set({ used_quota: 5, balance: 9, status: 2 }).execute()
    const copy = await createOne({ copy_from: source.id, name: 'one_copy', key: '', models: undefined })
    expect(copy).toMatchObject({
      name: 'one_copy',
      priority: 7,
      tag: 't',
      status: 1,
      used_quota: 0,
      balance: 0,
    })
    expect(copy.setting).toBe('{"force_format":true}')
    expect(await keyOf(copy.id)).toBe('sk-upstream-1')
  })

  test.each(['_复制', '_copy'])(
    'copies the key for older consoles, which send the name with %s and no key',
    async suffix => {
      const source = await createOne({ base_url: 'https://one.example' })
      const copy = await createOne({
        ...source,
        id: undefined,
        created_time: null,
        name: source.name + suffix,
      })
      expect(copy.name).toBe(source.name + suffix)
      expect(await keyOf(copy.id)).toBe('sk-upstream-1')
    },
  )

  test('copies no key from ambiguous sources or from a channel with another base URL', async () => {
    const source = await createOne({ base_url: 'https://one.example' })
    const copy = { ...source, id: undefined, name: `${source.name}_复制` }
    const errorCode = async (body: object) => (await app.root.call(endpoints.createChannels, { body })).code
    expect(await errorCode({ ...copy, base_url: 'https://two.example' })).toBe('channel.key_needed')
    await createOne({ base_url: 'https://one.example', key: 'sk-upstream-2' })
    expect(await errorCode(copy)).toBe('channel.key_needed')
  })

  test('ignores fields that callers cannot set', async () => {
    const channel = await createOne({ id: 77, status: 2, balance: 100, used_quota: 100, created_time: 1 })
    expect(channel).toMatchObject({ id: 1, status: 1, balance: 0, used_quota: 0 })
    expect(channel.created_time).toBeGreaterThan(1)
  })

  test('trims and deduplicates models and groups, and the abilities derived from them', async () => {
    await create({ models: ' a, b ,a,,', group: undefined, groups: ['vip', ' default'] })
    expect((await abilities()).map(({ group, model }) => [group, model])).toEqual([
      ['default', 'a'],
      ['default', 'b'],
      ['vip', 'a'],
      ['vip', 'b'],
    ])
  })

  test('updates only the fields sent and keeps the key when it is blank', async () => {
    const { id } = await createOne({ tag: 't', base_url: 'https://a.example/' })
    const { data } = await update({ id, name: 'two', key: ' ' })
    expect(data).toMatchObject({ name: 'two', tag: 't', base_url: 'https://a.example', models: draft.models })
    expect(await keyOf(id)).toBe('sk-upstream-1')
    await update({ id, key: 'sk-new' })
    expect(await keyOf(id)).toBe('sk-new')
    expect((await update({ id, tag: '', base_url: '', key: 'sk-own' })).data).toMatchObject({
      tag: '',
      base_url: '',
    })
  })

  test('propagates status, priority and weight to the abilities', async () => {
    const { id } = await createOne({ models: 'a' })
    await update({ id, status: 2 })
    await update({ id, priority: -999 })
    await update({ id, weight: -5 })
    expect(await abilities()).toMatchObject([{ enabled: 0, priority: -999, weight: 0 }])
  })

  test('notifies all processes of every change', async () => {
    const version = async () =>
      (await app.db.selectFrom('topics').select('version').where('topic', '=', 'channels').executeTakeFirst())
        ?.version ?? 0
    const { id } = await createOne()
    const created = await version()
    await update({ id, name: 'two' })
    const updated = await version()
    expect(updated).toBeGreaterThan(created)
    await app.root.call(endpoints.deleteChannel, { params: { id } })
    expect(await version()).toBeGreaterThan(updated)
  })

  test('clears the reason when an automatically disabled channel is enabled, not when its status is sent back', async () => {
    const { id } = await createOne()
    const other_info = '{"status_reason":"dead key","status_time":1}'
    await app.db.updateTable('channels').set({ status: 3, other_info }).execute()
    expect((await update({ id, status: 3, name: 'same' })).data).toMatchObject({ status: 3, other_info })
    expect((await update({ id, status: 1 })).data).toMatchObject({ status: 1, other_info: '' })
  })

  test('says in the list and in its test which setting keeps a channel out of routing', async () => {
    const { id } = await createOne()
    await app.db.updateTable('channels').set({ model_mapping: '[1]' }).execute()
    const reason = "the channel's model_mapping cannot be used: it must be object"
    const [channel] = await list()
    expect(JSON.parse(channel?.other_info ?? '')).toMatchObject({ status_reason: reason, is_unusable: true })
    const { envelope } = await app.root.call(checkEndpoints.testChannel, { params: { id }, query: {} })
    expect(envelope).toMatchObject({ success: false, message: reason })
  })

  test('says in the list which entries of a channel do not count', async () => {
    const { id } = await createOne()
    const setting = '{"purchase_prices":{"a":{"input":1},"b":{"input":1e30}}}'
    const lists = { model_mapping: '{"a":1,"b":"c"}', status_code_mapping: '{"404":503,"429":"x"}', setting }
    await app.db.updateTable('channels').set(lists).where('id', '=', id).execute()
    const [channel] = await list()
    expect(JSON.parse(channel?.other_info ?? '')).toEqual({
      status_reason: [
        "the channel's model_mapping.a cannot be used: it must be string",
        "the channel's status_code_mapping.429 cannot be used: it must be number",
        "the channel's setting.purchase_prices.b.input cannot be used: it must be at most 1000000",
      ].join('; '),
      status_time: 0,
      is_incomplete: true,
    })
  })

  test('lists a channel whose stopped models cannot be read, without those', async () => {
    const { id } = await createOne({ models: 'a,b' })
    const stopped_models = '[{"model":"a","reason":"r","stopped_at":5},{"model":7}]'
    for (const [column, expected] of [
      [stopped_models, ['a']],
      ['{', []],
      ['{"model":"a"}', []],
    ] as const) {
      await app.db.updateTable('channels').set({ stopped_models: column }).where('id', '=', id).execute()
      expect((await list())[0]?.stopped_models.map(({ model }) => model)).toEqual([...expected])
    }
  })

  test('lists stopped models apart from the models, and allows them again with a row in the management log', async () => {
    const { id } = await createOne({ models: 'a,b,c' })
    const stop = (model: string) => ({
      model,
      reason: toStoredText({ zh: `${model} 亏损`, en: `${model} at a loss` }),
      stopped_at: 5,
    })
    await app.db
      .updateTable('channels')
      .set({ stopped_models: writeStoppedModels([stop('a'), stop('b')]) })
      .execute()
    const saved = (await update({ id, models: 'a,b,c,d' })).data
    expect(saved).toMatchObject({
      models: 'a,b,c,d',
      stopped_models: [
        { model: 'a', reason: 'a at a loss', stopped_at: 5 },
        { model: 'b', reason: 'b at a loss', stopped_at: 5 },
      ],
    })
    const served = async () => (await abilities()).filter(row => row.enabled === 1).map(({ model }) => model)
    expect(await served()).toEqual(['c', 'd'])
    const allow = (models: string[]) =>
      app.root.call(endpoints.allowModels, { params: { id }, body: { models } })
    const rejected = await allow(['a', 'c'])
    expect([rejected.success, rejected.code]).toEqual([false, 'channel.not_stopped'])
    expect((await allow(['a'])).data.stopped_models).toMatchObject([{ model: 'b' }])
    expect(await served()).toEqual(['a', 'c', 'd'])
    expect(await managementLog()).toEqual([`root allowed a again on channel #${id} (${saved.name})`])
  })

  test('logs the administrator who enables a channel that only administrators may enable', async () => {
    const { id } = await createOne()
    const stop = () =>
      disableChannelAutomatically(app.db, id, { reason: 'a loss', atSeconds: 1, needsReview: true })
    await stop()
    await update({ id, status: 1 })
    await stop()
    await app.root.call(endpoints.updateChannelsBatch, { body: { ids: [id], status: 1 } })
    expect(await managementLog()).toHaveLength(2)
    await disableChannelAutomatically(app.db, id, { reason: 'a dead key', atSeconds: 1 })
    await update({ id, status: 1 })
    expect(await managementLog()).toHaveLength(2)
  })

  test('treats the text null as an empty mapping', async () => {
    const { id } = await createOne({ model_mapping: 'null' })
    expect((await app.root.call(endpoints.getChannel, { params: { id } })).data.model_mapping).toBe('')
  })

  test('deletes the abilities together with the channel', async () => {
    const { id } = await createOne()
    await app.root.call(endpoints.deleteChannel, { params: { id } })
    expect(await list()).toEqual([])
    expect(await abilities()).toEqual([])
  })
})

describe('200: many channels', () => {
  test('sorts by priority, or by id with id_sort', async () => {
    await createOne({ name: 'a', priority: 1 })
    await createOne({ name: 'b', priority: 9 })
    await createOne({ name: 'c', priority: 1 })
    expect(names(await list())).toEqual(['b', 'c', 'a'])
    expect(names(await list({ id_sort: true }))).toEqual(['c', 'b', 'a'])
    const page = await app.root.call(endpoints.listChannels, { query: { p: 1, page_size: 2 } })
    expect(names(page.data)).toEqual(['a'])
    expect(page.envelope).toMatchObject({ total: 3, page: 1, page_size: 2 })
  })

  test('searches by id, part of the name, complete key, model and group', async () => {
    await createOne({ name: 'Alpha_1', group: 'default,vip' })
    await createOne({ name: 'beta', key: 'sk-upstream-2', models: 'claude-3' })
    const found = async (query: object) =>
      names((await app.root.call(endpoints.searchChannels, { query: { ...query } })).data)
    expect(await found({ keyword: 'alpha_' })).toEqual(['Alpha_1'])
    expect(await found({ keyword: '2' })).toEqual(['beta'])
    expect(await found({ keyword: 'sk-upstream-2' })).toEqual(['beta'])
    expect(await found({ keyword: 'sk-upstream' })).toEqual([])
    expect(await found({ model: 'claude' })).toEqual(['beta'])
    expect(await found({ group: 'vip' })).toEqual(['Alpha_1'])
    expect(await found({ group: 'vi' })).toEqual([])
    expect(await found({ group: 'null' })).toEqual(['beta', 'Alpha_1'])
    expect(await found({ status: 2 })).toEqual([])
    expect(await found({ type: 1, keyword: '' })).toHaveLength(2)
  })

  test('pages by tags in tag mode, with untagged channels last', async () => {
    for (const [name, tag] of [
      ['a1', 'a'],
      ['x', ''],
      ['b1', 'b'],
      ['a2', 'a'],
    ])
      await createOne({ name, tag })
    const page = (p: number) =>
      app.root.call(endpoints.listChannels, { query: { p, page_size: 2, tag_mode: true } })
    expect(names((await page(0)).data).sort()).toEqual(['a1', 'a2', 'b1'])
    expect((await page(0)).envelope).toMatchObject({ total: 3 })
    expect(names((await page(1)).data)).toEqual(['x'])
  })

  test('creates a Vertex channel without a region, which takes the default one', async () => {
    const channel = await createOne({ type: 41, key: '{"project_id":"p"}', other: '' })
    expect(channel).toMatchObject({ type: 41, other: '' })
  })

  test('sets the tag of several channels, and rejects an empty one', async () => {
    const ids = (await create({ key: 'a\nb', models: 'm' })).map(channel => channel.id)
    expect((await app.root.call(endpoints.tagChannels, { body: { ids, tag: 't' } })).data).toBe(2)
    expect((await app.root.call(endpoints.listChannelTags)).data).toEqual(['t'])
    expect((await abilities()).map(row => row.tag)).toEqual(['t', 't'])
    for (const tag of [null, '', ' '])
      expect((await app.root.call(endpoints.tagChannels, { body: { ids, tag } })).code).toBe(
        'invalid_parameter',
      )
    expect((await app.root.call(endpoints.listChannelTags)).data).toEqual(['t'])
  })

  test('disables and enables all channels of a tag', async () => {
    await create({ key: 'a\nb', tag: 't', models: 'm' })
    await createOne({ name: 'other' })
    await app.root.call(endpoints.disableTag, { body: { tag: 't' } })
    expect((await list({ id_sort: true })).map(channel => channel.status)).toEqual([1, 2, 2])
    expect((await abilities()).filter(row => row.enabled === 0)).toHaveLength(2)
    await app.root.call(endpoints.enableTag, { body: { tag: 't' } })
    expect((await list()).every(channel => channel.status === 1)).toBe(true)
  })

  test("updates a tag's channels, where empty means unchanged and an empty new tag removes it", async () => {
    await create({ key: 'a\nb', tag: 't', models: 'm', model_mapping: '{"m":"n"}' })
    const edit = (body: object) => app.root.call(endpoints.updateTag, { body: { tag: 't', ...body } })
    expect(
      (await edit({ models: 'x, y', groups: 'vip', model_mapping: '', weight: 0, priority: 4 })).data,
    ).toBe(2)
    const [channel] = await list()
    expect(channel).toMatchObject({
      models: 'x,y',
      group: 'vip',
      model_mapping: '{"m":"n"}',
      priority: 4,
      tag: 't',
    })
    expect(await abilities()).toHaveLength(4)
    await edit({ new_tag: '' })
    expect((await list()).map(({ tag }) => tag)).toEqual(['', ''])
  })

  test('deletes the given or all disabled channels and returns their number', async () => {
    const ids = (await create({ key: 'a\nb\nc\nd' })).map(channel => channel.id)
    expect((await app.root.call(endpoints.deleteChannels, { body: { ids: [ids[0], 999] } })).data).toBe(1)
    await app.db
      .updateTable('channels')
      .set({ status: 3 })
      .where('id', '=', ids[1] ?? 0)
      .execute()
    expect((await app.root.call(endpoints.deleteDisabledChannels)).data).toBe(1)
    expect(await list()).toHaveLength(2)
    expect(new Set((await abilities()).map(row => row.channel_id)).size).toBe(2)
  })

  test('rebuilds all abilities and counts the channels, rebuilt ones twice', async () => {
    await create({ key: 'a\nb', models: 'm,n' })
    const before = await abilities()
    await app.db.deleteFrom('abilities').where('model', '=', 'm').where('channel_id', '=', 1).execute()
    await app.db
      .updateTable('abilities')
      .set({ weight: 9 })
      .where('model', '=', 'n')
      .where('channel_id', '=', 1)
      .execute()
    await app.db
      .insertInto('abilities')
      .values({ group: 'g', model: 'm', channel_id: 77, enabled: 1, priority: 0, weight: 0, tag: '' })
      .execute()
    expect((await app.root.call(endpoints.fixChannels)).data).toBe(3)
    expect(await abilities()).toEqual(before)
    expect((await app.root.call(endpoints.fixChannels)).data).toBe(2)
  })

  test('takes calls without a payload as calls with an empty one, and the other way round', async () => {
    await create({ key: 'a', models: 'm' })
    const post = (path: string, init: RequestInit = {}) => app.root.fetch(path, { method: 'POST', ...init })
    for (const body of [undefined, '', '{}', 'null'])
      expect(await (await post('/api/channel/fix', body === undefined ? {} : { body })).json()).toMatchObject(
        {
          data: 1,
        },
      )
    const withoutPayload = await (await post('/api/channel/batch/tag')).json()
    expect(withoutPayload).toMatchObject({ success: false, code: 'invalid_parameter' })
    expect(JSON.stringify(withoutPayload)).toContain('ids')
  })

  test("lists the models of enabled channels, for everyone and for the caller's groups", async () => {
    await createOne({ models: 'b,a' })
    await createOne({ models: 'c', group: 'svip' })
    const { id } = await createOne({ models: 'd' })
    await update({ id, status: 2 })
    expect((await app.root.call(endpoints.listEnabledModels)).data).toEqual(['a', 'b', 'c'])
    expect((await app.root.call(listUserModels)).data).toEqual(['a', 'b'])
  })

  test('lists default models by type, and each model once', async () => {
    const types = (await app.root.call(endpoints.listChannelTypes)).data
    const names = (await app.root.call(endpoints.listChannelTypeNames)).data
    expect(names).toEqual(
      types.map(({ type, name, can_query_balance }) => ({ type, name, can_query_balance })),
    )
    expect(types.find(({ type }) => type === 1)).toMatchObject({
      name: 'OpenAI',
      name_zh: 'OpenAI',
      can_list_models: true,
    })
    expect(types.find(({ type }) => type === 17)).toMatchObject({ name: 'Ali Qwen', name_zh: '阿里通义千问' })
    expect(types.find(({ type }) => type === 8)?.form.base_url).toBe('required')
    const known = (await app.root.call(endpoints.listChannelModels)).data.map(model => model.id)
    expect(new Set(known).size).toBe(known.length)
    expect((await app.root.call(listTypeModels)).data['1']).toContain('gpt-4o')
  })
})

describe('200: tests', () => {
  const test1 = (query = {}) => app.root.call(checkEndpoints.testChannel, { params: { id: 1 }, query })

  test('returns the duration in seconds and records every test', async () => {
    await createOne()
    app.relayTest.result = { ok: true, message: sameInBoth(''), timeMs: 1234.4 }
    expect((await test1()).envelope).toEqual({ success: true, message: '', time: 1.234 })
    app.relayTest.result = { ok: false, message: sameInBoth('the key is dead'), timeMs: 500 }
    expect((await test1({ model: 'gpt-4o' })).envelope).toEqual({
      success: false,
      message: 'the key is dead',
      time: 0.5,
    })
    expect(app.relayTest.calls.map(([, options]) => options)).toEqual([
      { model: '', isStream: false },
      { model: 'gpt-4o', isStream: false },
    ])
    await test1({ stream: true })
    expect(app.relayTest.calls.at(-1)?.[1].isStream).toBe(true)
    const [channel] = await list()
    expect(channel?.response_time).toBe(500)
    expect(channel?.test_time).toBeGreaterThan(0)
  })

  const testAll = async () => {
    const { success } = await app.root.call(checkEndpoints.testChannels)
    expect(success).toBe(true)
    return endOfRun()
  }

  const endOfRun = async () => {
    for (;;) {
      const { data } = await app.root.call(checkEndpoints.getTestProgress)
      if (!data.is_running) return data
      await Bun.sleep(5)
    }
  }

  test('disables failing and slow channels and enables recovered ones, as far as the options allow', async () => {
    await create({ key: 'ok\ndead\nslow\nback\nkept' })
    await app.db.updateTable('channels').set({ status: 3 }).where('id', '=', 4).execute()
    await app.db.updateTable('channels').set({ auto_ban: 0 }).where('id', '=', 5).execute()
    const results = [
      { ok: true, message: sameInBoth(''), timeMs: 100 },
      { ok: false, message: sameInBoth('invalid api key'), timeMs: 100, isKeyRevoked: true },
      { ok: true, message: sameInBoth(''), timeMs: 6000 },
      { ok: true, message: sameInBoth(''), timeMs: 100 },
      { ok: false, message: sameInBoth('invalid api key'), timeMs: 100, isKeyRevoked: true },
    ]
    app.relayTest.result = async id =>
      results[id - 1] ?? { ok: false, message: sameInBoth('unknown'), timeMs: 0 }
    expect(await testAll()).toMatchObject({
      total: 5,
      done: 5,
      succeeded: 3,
      failed: 2,
      disabled: 0,
      enabled: 0,
    })
    const body = ['AutomaticDisableChannelEnabled', 'AutomaticEnableChannelEnabled'].map(key => ({
      key,
      value: 'true',
    }))
    await app.root.call(putOptions, { body })
    expect(await testAll()).toMatchObject({ disabled: 2, enabled: 1 })
    const channels = (await list({ id_sort: true })).toReversed()
    expect(channels.map(channel => channel.status)).toEqual([1, 3, 3, 1, 1])
    expect(JSON.parse(channels[1]?.other_info ?? '')).toMatchObject({ status_reason: 'invalid api key' })
    expect((await abilities()).filter(row => row.enabled === 0).map(row => row.channel_id)).toEqual([
      2, 2, 3, 3,
    ])
  })

  test('leaves channels disabled that were stopped for selling below cost', async () => {
    const { id } = await createOne({ key: 'a' })
    const stop = { reason: 'sold below cost', atSeconds: 1, needsReview: true }
    expect(await disableChannelAutomatically(app.db, id, stop)).toBe(true)
    await app.root.call(putOptions, { body: { key: 'AutomaticEnableChannelEnabled', value: 'true' } })
    app.relayTest.result = { ok: true, message: sameInBoth(''), timeMs: 100 }
    expect(await testAll()).toMatchObject({ succeeded: 1, enabled: 0 })
    const [channel] = await list({})
    expect([channel?.status, channel?.other_info]).toEqual([3, expect.stringContaining('sold below cost')])
  })

  test('shows the result and the reason in the language of the reader', async () => {
    await create({ key: 'a' })
    const message = { zh: '状态码 401：密钥已失效', en: 'status 401: the key is dead' }
    app.relayTest.result = { ok: false, message, timeMs: 100, isKeyRevoked: true }
    await app.root.call(putOptions, { body: { key: 'AutomaticDisableChannelEnabled', value: 'true' } })
    await testAll()
    const read = async (path: string, language: string) => {
      const response = await app.root.fetch(path, { headers: { 'accept-language': language } })
      return JSON.stringify(await response.json())
    }
    for (const path of ['/api/channel/', '/api/channel/1', '/api/channel/search', '/api/channel/test/1']) {
      expect(await read(path, 'zh-CN')).toContain(message.zh)
      expect(await read(path, 'zh-CN')).not.toContain(message.en)
      expect(await read(path, 'en')).toContain(message.en)
      expect(await read(path, 'en')).not.toContain(message.zh)
    }
  })

  test('skips channels that an administrator has disabled', async () => {
    await create({ key: 'a\nb\nc' })
    await app.db.updateTable('channels').set({ status: 2 }).where('id', '=', 2).execute()
    await app.db.updateTable('channels').set({ status: 3 }).where('id', '=', 3).execute()
    expect(await testAll()).toMatchObject({ total: 2, done: 2 })
    expect(app.relayTest.calls.map(([{ id }]) => id)).toEqual([1, 3])
  })

  test('rejects a second run and counts a crashed test as failed', async () => {
    await create({ key: 'a\nb' })
    const gate = Promise.withResolvers<void>()
    app.relayTest.result = async id => {
      await gate.promise
      if (id === 1) throw new Error('broken')
      return { ok: true, message: sameInBoth(''), timeMs: 1 }
    }
    expect((await app.root.call(checkEndpoints.testChannels)).success).toBe(true)
    expect((await app.root.call(checkEndpoints.testChannels)).code).toBe('channel.test_running')
    expect((await app.root.call(checkEndpoints.getTestProgress)).data).toMatchObject({
      is_running: true,
      total: 2,
      done: 0,
    })
    gate.resolve()
    expect(await endOfRun()).toMatchObject({ succeeded: 1, failed: 1 })
  })
})

describe('200: batch updates', () => {
  test('applies one change to each channel and reports each result', async () => {
    await create({ key: 'a\nb' })
    const { data } = await app.root.call(endpoints.updateChannelsBatch, {
      body: { ids: [1, 77, 2, 1], status: 2, priority: 9, groups: ['vip'], tag: 't' },
    })
    expect(data).toEqual([
      { id: 1, success: true, code: '', message: '' },
      { id: 77, success: false, code: 'channel.unknown', message: 'there is no such channel' },
      { id: 2, success: true, code: '', message: '' },
    ])
    for (const channel of await list())
      expect(channel).toMatchObject({ status: 2, priority: 9, group: 'vip', tag: 't', weight: 0 })
    expect((await abilities()).every(row => row.group === 'vip' && row.enabled === 0)).toBe(true)
  })

  test('rejects a batch without a change or without ids', async () => {
    for (const body of [{ ids: [1] }, { ids: [], status: 1 }, { status: 1 }])
      expect((await app.root.call(endpoints.updateChannelsBatch, { body })).code).toBe('invalid_parameter')
  })
})

describe('200: tests before saving', () => {
  const testUnsaved = (body: object) => app.root.call(checkEndpoints.testUnsavedChannel, { body })

  test('tests an unsaved channel with its first key, streamed on request, and stores nothing', async () => {
    app.relayTest.result = { ok: true, message: sameInBoth(''), timeMs: 321 }
    const response = await testUnsaved({ type: 1, key: 'k1\nk2', models: 'a,b', model: 'b', stream: true })
    expect(response.envelope).toEqual({ success: true, message: '', time: 0.321 })
    expect(app.relayTest.calls).toMatchObject([
      [
        { id: 0, key: 'k1', type: 1, models: 'a,b' },
        { model: 'b', isStream: true },
      ],
    ])
    expect(await list()).toEqual([])
  })

  test('takes blank fields and the key from the channel in copy_from', async () => {
    const { id } = await createOne({ base_url: 'https://one.example' })
    await testUnsaved({ copy_from: id, key: '', base_url: 'https://one.example/two' })
    expect(app.relayTest.calls.at(-1)).toMatchObject([
      { key: 'sk-upstream-1', base_url: 'https://one.example/two', models: 'gpt-4o,gpt-4o-mini' },
      { model: '', isStream: false },
    ])
    expect((await list())[0]).toMatchObject({ base_url: 'https://one.example', test_time: 0 })
  })

  test('rejects a test without a key, of an unknown type, or with an unknown source', async () => {
    for (const [body, code] of [
      [{ type: 1, models: 'a' }, 'channel.key_needed'],
      [{ type: 9999, key: 'k', models: 'a' }, 'channel.unknown_type'],
      [{ type: 1, key: 'k' }, 'channel.models_needed'],
      [{ copy_from: 77 }, 'channel.unknown'],
    ] as const)
      expect((await testUnsaved(body)).code).toBe(code)
  })
})

describe('200: calls to providers by POST', () => {
  test('serves tests and balances for POST as well', async () => {
    const { id } = await createOne({ type: 40 })
    app.upstream.respond = () => Response.json({ code: 20000, data: { totalBalance: '3.5' } })
    expect(
      (await app.root.call(checkEndpoints.testChannelByPost, { params: { id } })).envelope,
    ).toMatchObject({
      success: true,
      time: 0.12,
    })
    expect((await app.root.call(checkEndpoints.testChannelsByPost)).success).toBe(true)
    expect(
      (await app.root.call(checkEndpoints.updateFiguresByPost, { params: { id } })).envelope,
    ).toMatchObject({
      balance: 3.5,
    })
    expect((await app.root.call(checkEndpoints.updateBalancesByPost)).success).toBe(true)
  })
})

describe('200: fetching models', () => {
  const openaiList = () => Response.json({ object: 'list', data: [{ id: 'm1' }, { id: 'm2' }, { id: 'm1' }] })

  test('lists models for a saved channel with its base URL and key', async () => {
    const { id } = await createOne({ base_url: 'https://up.example' })
    app.upstream.respond = openaiList
    expect((await app.root.call(checkEndpoints.fetchSavedModels, { params: { id } })).data).toEqual([
      'm1',
      'm2',
    ])
    const [sentRequest] = app.upstream.requests
    expect(sentRequest?.url).toBe('https://up.example/v1/models')
    expect(sentRequest?.headers.get('authorization')).toBe('Bearer sk-upstream-1')
  })

  test('lists models for an unsaved channel with the first line of the key', async () => {
    app.upstream.respond = openaiList
    const body = { type: 1, key: 'first\nsecond', base_url: '' }
    expect((await app.root.call(checkEndpoints.fetchUnsavedModels, { body })).data).toEqual(['m1', 'm2'])
    expect(app.upstream.requests[0]?.headers.get('authorization')).toBe('Bearer first')
  })

  test('requires a base URL for providers without a default', async () => {
    const { code } = await app.root.call(checkEndpoints.fetchUnsavedModels, { body: { type: 3, key: 'k' } })
    expect(code).toBe('channel.base_url_needed')
  })

  test('reports provider errors and unreadable responses without the key', async () => {
    const body = { type: 1, key: 'sk-very-secret-key-0000', base_url: 'https://up.example' }
    const responses = [
      () => Response.json({ error: { message: 'no', code: 'invalid_api_key' } }, { status: 401 }),
      () => new Response('<html>'),
      () => Response.json({ data: 'no list' }),
    ]
    for (const response of responses) {
      app.upstream.respond = response
      const message = await app.root.call(checkEndpoints.fetchUnsavedModels, { body })
      expect(message).toMatchObject({ status: 200, success: false, code: 'channel.fetch_failed' })
      expect(message.message).not.toContain('sk-very-secret-key')
    }
  })
})

test.each([
  ['{"output":1}', 'there is no price for input'],
  ['{"input":1e30}', 'input is too high'],
  ['{"input":1,"tiers":[{"above":200000,"input":1e7}]}', 'tiers.0.input is too high'],
  ['{"input":-1}', 'input is not valid'],
  ['{"inptu":1}', 'inptu is not valid'],
  ['4', 'the list is not valid'],
])('rejects the purchase price %s with the name of its model', async (list, reason) => {
  const setting = `{"purchase_prices":{"gpt-5.5":{"input":5},"my-model":${list}}}`
  const created = await app.root.call(endpoints.createChannels, { body: { ...draft, setting } })
  expect([created.code, created.message]).toEqual([
    'channel.purchase_prices',
    expect.stringContaining(reason),
  ])
  expect(created.message).toContain('my-model')
  const { id } = await createOne({ key: 'a' })
  expect((await app.root.call(endpoints.updateChannel, { body: { id, setting } })).code).toBe(created.code)
})

describe('errors', () => {
  const errorCode = async (change: object) =>
    (await app.root.call(endpoints.createChannels, { body: { ...draft, ...change } })).code

  test('rejects a channel that could not serve requests', async () => {
    expect(await errorCode({ name: ' ' })).toBe('channel.name_needed')
    expect(await errorCode({ key: ' \n ' })).toBe('channel.key_needed')
    expect(await errorCode({ models: ' , ' })).toBe('channel.models_needed')
    expect(await errorCode({ group: '' })).toBe('channel.groups_needed')
    expect(await errorCode({ type: 9999 })).toBe('channel.unknown_type')
    expect(await errorCode({ type: 8, base_url: '' })).toBe('channel.base_url_needed')
    expect(await errorCode({ copy_from: 99 })).toBe('channel.unknown')
    for (const bad of [
      { model_mapping: '{"a":' },
      { model_mapping: '{"a":1}' },
      { model_mapping: '{"a":"b","a":"c"}' },
      { status_code_mapping: '{"400":"9000"}' },
      { setting: '{"proxy":"ftp://x"}' },
      { setting: '{"purchase_factor":0}' },
      { param_override: '[]' },
      { base_url: 'nowhere' },
      { models: 'x'.repeat(256) },
      { priority: 1.5 },
      { weight: '1' },
      { auto_ban: 2 },
    ])
      expect({ bad, code: await errorCode(bad) }).toEqual({ bad, code: 'invalid_parameter' })
    expect(await list()).toEqual([])
  })

  test('rejects an update that would break the channel', async () => {
    const { id } = await createOne()
    expect((await update({ id, models: '', name: 'two' })).code).toBe('channel.models_needed')
    expect((await update({ id, key: 'a\nb' })).code).toBe('channel.one_key')
    expect((await update({ id, status: 7 })).code).toBe('invalid_parameter')
    expect(names(await list())).toEqual(['one'])
  })

  test('rejects turning several keys into one by the setting alone', async () => {
    const { id } = await createOne({ key: 'a\nb', setting: '{"several_keys":true}' })
    expect((await update({ id, setting: '' })).code).toBe('channel.one_key')
    expect((await update({ id, priority: 3 })).success).toBe(true)
    expect((await update({ id, setting: '', key: 'a' })).success).toBe(true)
    expect(await keyOf(id)).toBe('a')
  })

  test('reports unknown channels to update, test, query or delete', async () => {
    const params = { id: 77 }
    const responses = await Promise.all([
      app.root.call(endpoints.getChannel, { params }),
      update({ id: 77, name: 'x' }),
      app.root.call(endpoints.deleteChannel, { params }),
      app.root.call(checkEndpoints.testChannel, { params }),
      app.root.call(checkEndpoints.fetchSavedModels, { params }),
    ])
    expect(responses.map(response => response.code)).toEqual(Array(5).fill('channel.unknown'))
    expect((await app.root.call(endpoints.enableTag, { body: { tag: 'x' } })).code).toBe(
      'channel.unknown_tag',
    )
    expect((await app.root.call(endpoints.updateTag, { body: { tag: 'x', priority: 1 } })).code).toBe(
      'channel.unknown_tag',
    )
  })

  test('rejects a tag update without a change and batches without ids', async () => {
    await createOne({ tag: 't' })
    expect((await app.root.call(endpoints.updateTag, { body: { tag: 't' } })).code).toBe(
      'channel.nothing_to_change',
    )
    expect((await app.root.call(endpoints.deleteChannels, { body: { ids: [] } })).code).toBe(
      'invalid_parameter',
    )
    expect((await app.root.call(endpoints.tagChannels, { body: { ids: [], tag: 't' } })).code).toBe(
      'invalid_parameter',
    )
  })
})
