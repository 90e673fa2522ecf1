import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { listGroups, listOpenGroups, listSelfGroups } from '#contract/models.ts'
import { listOptions, putOptions, resetModelRatio } from '#contract/options/options.ts'
import { systemOptions } from '#contract/options/system-options.ts'
import { getAbout, getHomePageContent, getNotice, getStatus } from '#contract/status.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

/** The settings page finds the options of features by these files, the server by what they export. */
const FEATURE_OPTIONS = [
  ...new Bun.Glob('*/options.ts').scanSync({ cwd: join(import.meta.dir, '../..'), absolute: true }),
].sort()

const put = (key: string, value: string | number | boolean) =>
  app.root.call(putOptions, { body: { key, value } })
const stored = () => app.db.selectFrom('options').selectAll().execute()
const shown = async (key: string) =>
  (await app.root.call(listOptions)).data.find(option => option.key === key)

describe('200', () => {
  test('lists every option with its default until it is changed', async () => {
    const { data } = await app.root.call(listOptions)
    const names = (await Promise.all(FEATURE_OPTIONS.map(file => import(file)))).flatMap(({ options }) =>
      Object.keys(options),
    )
    expect(names.length).toBeGreaterThan(0)
    expect(data.map(option => option.key)).toEqual([...Object.keys(systemOptions), ...names])
    expect(data.find(option => option.key === 'RetryTimes')?.value).toBe('0')
  })

  test('applies a change to the very next call', async () => {
    await put('SystemName', 'Gate of tolls')
    expect((await app.visitor.call(getStatus)).data.system_name).toBe('Gate of tolls')
    expect(await shown('SystemName')).toMatchObject({ value: 'Gate of tolls' })
  })

  test('accepts numbers and booleans', async () => {
    await put('RetryTimes', 3)
    await put('RegisterEnabled', false)
    expect(app.settings.current().values).toMatchObject({ RetryTimes: 3, RegisterEnabled: false })
  })

  test('takes an option without a value as empty', async () => {
    await put('Notice', 'hello')
    for (const value of [undefined, null])
      expect((await app.root.call(putOptions, { body: { key: 'Notice', value } })).success).toBe(true)
    expect(app.settings.current().values.Notice).toBe('')
  })

  test('stores several options together', async () => {
    const body = [
      { key: 'GitHubClientId', value: 'id' },
      { key: 'GitHubClientSecret', value: 'hush' },
      { key: 'GitHubOAuthEnabled', value: 'true' },
    ]
    expect((await app.root.call(putOptions, { body })).success).toBe(true)
    expect((await app.visitor.call(getStatus)).data).toMatchObject({
      github_oauth: true,
      github_client_id: 'id',
    })
  })

  test('encrypts a secret, never returns it, and deletes it with an empty text', async () => {
    await put('SMTPToken', 'hush')
    expect(JSON.stringify(await stored())).not.toContain('hush')
    expect(await shown('SMTPToken')).toEqual({ key: 'SMTPToken', value: '', is_secret: true, is_set: true })
    expect(app.settings.current().values.SMTPToken).toBe('hush')
    await put('SMTPToken', '')
    expect(await shown('SMTPToken')).toMatchObject({ is_set: false })
  })

  test.each([
    ['SMTPToken', 'SMTPServer', 'mail.example', 'mail.evil.example'],
    ['WorkerValidKey', 'WorkerUrl', 'https://worker.example/a', 'https://worker.evil.example/a'],
    ['WeChatServerToken', 'WeChatServerAddress', 'https://wechat.example', 'http://wechat.example'],
    ['EpayKey', 'PayAddress', 'https://pay.example', 'https://pay.example:444'],
  ])(
    'sends %s to no other address than the one that it was entered for',
    async (secret, address, own, other) => {
      await put('ServerAddress', 'https://gate.example')
      await put(address, own)
      await put(secret, 'hush')
      await put(address, own.toUpperCase().replace('HTTPS', 'https'))
      expect(await put(address, other)).toMatchObject({ success: false, code: 'option.secret_needed' })
      expect(await shown(address)).not.toMatchObject({ value: other })
      const body = [
        { key: address, value: other },
        { key: secret, value: 'new' },
      ]
      expect((await app.root.call(putOptions, { body })).success).toBe(true)
      expect(app.settings.current().values).toMatchObject({ [address]: other, [secret]: 'new' })
      await put(address, '')
      expect(app.settings.current().values).toMatchObject({ [address]: '', [secret]: '' })
    },
  )

  test('removes trailing slashes from addresses', async () => {
    await put('ServerAddress', ' https://gate.example/ ')
    expect(await shown('ServerAddress')).toMatchObject({ value: 'https://gate.example' })
  })

  test('resets model ratios', async () => {
    await put('ModelRatio', '{"mine":1}')
    const { message } = await app.root.call(resetModelRatio)
    expect(message).not.toBe('')
    expect(app.settings.current().values.ModelRatio['gpt-4o']).toBe(1.25)
    expect(app.settings.current().values.ModelRatio['gpt-5.5']).toBe(2.5)
  })

  test('returns notice, about and home page, empty while unset', async () => {
    await put('About', '# hello')
    expect((await app.visitor.call(getAbout)).data).toBe('# hello')
    expect((await app.visitor.call(getNotice)).data).toBe('')
    expect((await app.visitor.call(getHomePageContent)).data).toBe('')
  })

  test('offers the groups of the options, but none without a ratio', async () => {
    await put('GroupRatio', '{"default":1,"vip":0.5,"own":2}')
    await put('UserUsableGroups', '{"vip":"VIP","gone":"no ratio"}')
    const own = await app.addUser({ username: 'own-user', group: 'own' })
    expect((await own.call(listSelfGroups)).data).toEqual({
      own: { ratio: 2, desc: 'your group' },
      vip: { ratio: 0.5, desc: 'VIP' },
    })
    expect(Object.keys((await app.visitor.call(listOpenGroups)).data)).toEqual(['default', 'vip'])
    expect((await app.root.call(listGroups)).data).toEqual(['default', 'own', 'vip'])
  })

  test('falls back to the default when a stored value no longer parses', async () => {
    await app.db.insertInto('options').values({ key: 'RetryTimes', value: 'many' }).execute()
    await put('Notice', 'new')
    expect(app.settings.current().values.RetryTimes).toBe(0)
  })
})

describe('errors', () => {
  test('rejects unreadable values and keeps the old ones', async () => {
    await put('GroupRatio', '{"default":2}')
    const bad: [string, string][] = [
      ['GroupRatio', '{"default":2'],
      ['GroupRatio', '{"default":-1}'],
      ['GroupRatio', '{"a":1,"a":2}'],
      ['ModelPrice', '{"a":"free"}'],
      ['Chats', '{"a":"b"}'],
      ['RetryTimes', 'many'],
      ['RegisterEnabled', 'yes'],
      ['PayAddress', 'nowhere'],
    ]
    for (const [key, value] of bad) {
      const response = await put(key, value)
      expect({ key, code: response.code }).toEqual({ key, code: 'invalid_parameter' })
      expect(response.message).toStartWith(`${key}: `)
    }
    expect((await stored()).map(option => option.key)).toEqual(['GroupRatio'])
    expect(app.settings.current().values.GroupRatio).toEqual({ default: 2 })
  })

  test('stores none of several options when one is invalid', async () => {
    const body = [
      { key: 'Notice', value: 'hello' },
      { key: 'RetryTimes', value: '-1' },
    ]
    expect((await app.root.call(putOptions, { body })).success).toBe(false)
    expect(await stored()).toEqual([])
  })

  test('rejects an unknown option', async () => {
    for (const key of ['Nonsense', 'toString', '__proto__'])
      expect((await put(key, '1')).code).toBe('option.unknown')
  })

  test('rejects enabling an unconfigured feature, and unconfiguring an enabled one', async () => {
    for (const key of [
      'GitHubOAuthEnabled',
      'LinuxDOOAuthEnabled',
      'WeChatAuthEnabled',
      'TelegramOAuthEnabled',
      'TurnstileCheckEnabled',
    ])
      expect((await put(key, 'true')).code).toStartWith('option.')
    expect((await put('PayAddress', 'https://pay.example')).code).toBe('option.server_address')
    await app.root.call(putOptions, {
      body: [
        { key: 'TelegramBotToken', value: 't' },
        { key: 'TelegramOAuthEnabled', value: 'true' },
      ],
    })
    expect((await put('TelegramBotToken', '')).code).toBe('option.telegram')
  })

  test('rejects several options that are not in a list', async () => {
    expect((await app.root.call(putOptions, { body: [] })).code).toBe('invalid_parameter')
  })
})
