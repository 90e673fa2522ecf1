import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sameInBoth } from '../core/language.ts'
import type { RootNotifier } from './root-notifier.ts'
import { TestNotifications } from './testing.ts'

let opened: TestNotifications
let rootNotifier: RootNotifier
beforeEach(async () => {
  opened = await TestNotifications.open()
  rootNotifier = (await opened.openProcess()).rootNotifier
})
afterEach(() => opened.close())

describe('the notification of the super administrator', () => {
  test('names the channel that was disabled or enabled, and the reason', async () => {
    await opened.addUser(0, { role: 100, email: 'root@example.org' })
    rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, sameInBoth('status 401: key revoked'))
    rootNotifier.channelEnabled({ id: 7, name: 'cheap' })
    await rootNotifier.close()
    expect(opened.mailServer.mails.map(({ to }) => to)).toEqual([['root@example.org'], ['root@example.org']])
    const texts = opened.mailServer.mails.map(({ text }) => text).sort()
    expect(texts.join()).toContain('cheap (#7)')
    expect(texts.join()).toContain('key revoked')
  })

  test('is sent at most twice an hour for each channel', async () => {
    await opened.addUser(0, { role: 100, email: 'root@example.org' })
    for (let i = 0; i < 5; i += 1) rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, sameInBoth('dead'))
    rootNotifier.channelDisabled({ id: 8, name: 'other' }, sameInBoth('dead'))
    await rootNotifier.close()
    expect(opened.mailServer.mails).toHaveLength(3)
  })

  test.each([
    ['zh', '渠道 cheap (#7) 已被禁用', '原因：密钥已失效', 'the key is dead'],
    ['en', 'Channel cheap (#7) was disabled', 'the key is dead', '密钥已失效'],
  ])('is written in the language %s that the recipient chose', async (language, subject, text, other) => {
    const reason = { zh: '密钥已失效', en: 'the key is dead' }
    const setting = JSON.stringify({ notify_type: 'email', notification_language: language })
    await opened.addUser(0, { role: 100, email: 'root@example.org', setting })
    rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, reason)
    await rootNotifier.close()
    const [mail] = opened.mailServer.mails
    expect(mail?.subject).toEndWith(`] ${subject}`)
    expect(mail?.text).toContain(text)
    expect(mail?.text).not.toContain(other)
  })

  test('is sent by webhook in the language that the recipient chose', async () => {
    const setting = { ...JSON.parse(opened.webhookSetting()), notification_language: 'zh' }
    await opened.addUser(0, { role: 100, setting: JSON.stringify(setting) })
    rootNotifier.channelEnabled({ id: 7, name: 'cheap' })
    await rootNotifier.close()
    expect(JSON.parse(opened.webhook.requests[0]?.body ?? '{}')).toMatchObject({
      title: '渠道 cheap (#7) 已被启用',
      content: '渠道 cheap (#7) 通过测试，已被自动启用',
    })
  })

  test('is sent by webhook if so configured', async () => {
    await opened.addUser(0, { role: 100, setting: opened.webhookSetting() })
    rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, sameInBoth('dead'))
    await rootNotifier.close()
    expect(JSON.parse(opened.webhook.requests[0]?.body ?? '{}')).toMatchObject({
      type: 'channel_update_7_3',
      values: ['cheap', '7', 'dead'],
    })
  })

  test('is skipped without an address', async () => {
    await opened.addUser(0, { role: 100, email: '' })
    rootNotifier.channelDisabled({ id: 7, name: 'cheap' }, sameInBoth('dead'))
    await rootNotifier.close()
    expect([opened.mailServer.mails.length, opened.logged]).toEqual([0, ''])
  })
})
